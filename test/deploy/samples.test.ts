import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { type SampleName, readDeployed, readSample, samples, root } from './deployed-files';
import { loadConfig } from '../../src/config/load-config';
import { readKey } from '../../src/secrets/secret';

const names = Object.keys(samples) as SampleName[];

describe('the configuration that comes with each way to run', () => {
  it.each(names)('is taken as it stands: %s', (name) => {
    const config = loadConfig(path.join(root, samples[name]));
    expect([...config.portals.keys()]).toEqual(['staging', 'production']);
    expect([...config.routes.keys()]).toEqual(['transport']);
  });

  it.each(names)('names every key that is shared, and makes none beside itself: %s', (name) => {
    const { store, control, temporal } = parse(readSample(name)) as Record<string, Record<string, unknown>>;
    expect(control).toEqual({ key: expect.anything() });
    expect(store).toMatchObject({ key: expect.anything(), encryption: { key: expect.anything() } });
    expect(temporal).toMatchObject({ encryption: { keys: [{ key: expect.anything() }] } });
  });

  it('has a bucket where there are several workers', () => {
    for (const name of ['compose', 'kubernetes', 'example'] as const)
      expect(loadConfig(path.join(root, samples[name])).store).toMatchObject({ type: 's3' });
  });

  it('lets nobody in by a key that another installation has [P27]', () => {
    const hashes = names.flatMap((name) => [...readSample(name).matchAll(/sha256: ([0-9a-f]{64})/g)]);
    expect(hashes).toHaveLength(names.length);
    const guessed = ['', 'nobody', 'portolan', 'secret'].map((text) =>
      createHash('sha256').update(text).digest('hex'),
    );
    expect(hashes.map(([, hash]) => hash).filter((hash) => guessed.includes(hash!))).toEqual([]);
  });

  it('reads under systemd what a service was given, in whichever of the two it runs', async () => {
    const folder = mkdtempSync(path.join(os.tmpdir(), 'portolan-credentials-'));
    const before = process.env['CREDENTIALS_DIRECTORY'];
    try {
      process.env['CREDENTIALS_DIRECTORY'] = folder;
      writeFileSync(path.join(folder, 'control.key'), `${'7'.repeat(64)}\n`);
      const { control } = loadConfig(path.join(root, samples.systemd));
      expect((await readKey(control.key, 'control key')).toString()).toBe('7'.repeat(64));
    } finally {
      if (before === undefined) delete process.env['CREDENTIALS_DIRECTORY'];
      else process.env['CREDENTIALS_DIRECTORY'] = before;
      rmSync(folder, { recursive: true });
    }
  });
});

describe('the services of systemd', () => {
  const units = ['worker', 'serve'].map((name) =>
    readFileSync(path.join(root, 'deploy', 'systemd', `portolan-${name}.service`), 'utf8'),
  );
  const valuesOf = (unit: string, key: string): string[] =>
    [...unit.matchAll(new RegExp(`^${key}=(.*)$`, 'gm'))].map(([, value]) => value!);

  it('give each what portolan.yaml reads, and nothing in a variable', () => {
    const read = [...readSample('systemd').matchAll(/CREDENTIALS_DIRECTORY\/([\w.-]+)/g)].map(
      ([, name]) => name,
    );
    for (const unit of units) {
      const given = valuesOf(unit, 'LoadCredential').map((line) => line.split(':'));
      expect(given.map(([name]) => name).sort()).toEqual([...new Set(read)].sort());
      for (const [name, file] of given) expect(file).toBe(`/etc/portolan/secrets/${name}`);
      expect(valuesOf(unit, 'Environment').join(' ')).not.toMatch(/PASSWORD|SECRET|KEY|TOKEN/);
    }
  });

  it('pass on by the line of the guide what a command needs that is typed as the worker', () => {
    const [, program = ''] = /sed -En '([^']+)'/.exec(readDeployed('docs/guide/install.md')) ?? [];
    const [worker = ''] = units;
    const words = execFileSync('sed', ['-En', program], { input: worker, encoding: 'utf8' })
      .trim()
      .split(/\s+/);
    expect(words.filter((word) => !/^--property=[A-Za-z]+=\S+$/.test(word))).toEqual([]);
    for (const key of ['User', 'StateDirectory', 'LoadCredential', 'Environment'])
      for (const value of valuesOf(worker, key)) expect(words).toContain(`--property=${key}=${value}`);
  });

  it('wait longer for a worker than it takes to end, and give Node 80 % of their memory', () => {
    for (const unit of units) {
      const [stop = ''] = valuesOf(unit, 'TimeoutStopSec');
      expect(Number(stop)).toBeGreaterThan(30);
      const [gigabytes = ''] = valuesOf(unit, 'MemoryMax');
      const [, megabytes] = /--max-old-space-size=(\d+)/.exec(unit)!;
      expect(Number(megabytes)).toBe(Math.floor(0.8 * parseInt(gigabytes) * 1024));
    }
  });

  it('let Node learn the addresses of its machine, which it asks of the kernel by netlink', () => {
    for (const unit of units)
      expect(valuesOf(unit, 'RestrictAddressFamilies').join(' ').split(' ')).toContain('AF_NETLINK');
  });

  it('keep their state where portolan.yaml has the store', () => {
    const config = loadConfig(path.join(root, samples.systemd));
    expect(config.store).toMatchObject({ type: 'local', path: '/var/lib/portolan/store' });
    for (const unit of units) expect(valuesOf(unit, 'StateDirectory')).toEqual(['portolan']);
  });
});
