import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { type SampleName, readSample, samples, root } from './deployed-files';
import { loadConfig } from '../../src/config/load-config';
import { readKey } from '../../src/secrets/secret';

const names = Object.keys(samples) as SampleName[];

describe('a sample configuration', () => {
  it.each(names)('is accepted: %s', (name) => {
    const config = loadConfig(path.join(root, samples[name]));
    expect([...config.portals.keys()]).toEqual(['staging', 'production']);
    expect([...config.routes.keys()]).toEqual(['transport']);
  });

  it.each(names)('names each shared key: %s', (name) => {
    const { store, control, temporal } = parse(readSample(name)) as Record<string, Record<string, unknown>>;
    expect(control).toEqual({ key: expect.anything() });
    expect(store).toMatchObject({ key: expect.anything(), encryption: { key: expect.anything() } });
    expect(temporal).toMatchObject({ encryption: { keys: [{ key: expect.anything() }] } });
  });

  it('has no API key that could be guessed [P27]', () => {
    const hashes = names.flatMap((name) => [...readSample(name).matchAll(/sha256: ([0-9a-f]{64})/g)]);
    expect(hashes).toHaveLength(names.length);
    const guessed = ['', 'nobody', 'portolan', 'secret'].map((text) =>
      createHash('sha256').update(text).digest('hex'),
    );
    expect(hashes.map(([, hash]) => hash).filter((hash) => guessed.includes(hash!))).toEqual([]);
  });

  it('reads the credentials of a systemd service', async () => {
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

describe('systemd services', () => {
  const units = ['worker', 'serve'].map((name) =>
    readFileSync(path.join(root, 'deploy', 'systemd', `portolan-${name}.service`), 'utf8'),
  );
  const valuesOf = (unit: string, key: string): string[] =>
    [...unit.matchAll(new RegExp(`^${key}=(.*)$`, 'gm'))].map(([, value]) => value!);

  it('get the credentials that portolan.yaml reads, and no secret variable', () => {
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

  it('give a worker more time to end than it takes, and Node 80 % of memory', () => {
    for (const unit of units) {
      const [stop = ''] = valuesOf(unit, 'TimeoutStopSec');
      expect(Number(stop)).toBeGreaterThan(30);
      const [gigabytes = ''] = valuesOf(unit, 'MemoryMax');
      const [, megabytes] = /--max-old-space-size=(\d+)/.exec(unit)!;
      expect(Number(megabytes)).toBe(Math.floor(0.8 * parseInt(gigabytes) * 1024));
    }
  });

  it('let Node list the addresses of its machine', () => {
    for (const unit of units)
      expect(valuesOf(unit, 'RestrictAddressFamilies').join(' ').split(' ')).toContain('AF_NETLINK');
  });

  it('keep their state in the folder of the store', () => {
    const config = loadConfig(path.join(root, samples.systemd));
    expect(config.store).toMatchObject({ type: 'local', path: '/var/lib/portolan/store' });
    for (const unit of units) expect(valuesOf(unit, 'StateDirectory')).toEqual(['portolan']);
  });
});
