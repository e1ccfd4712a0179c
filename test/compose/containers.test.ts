import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { z } from 'zod';
import { closedConfig } from '../../src/temporal/dev-server/temporal-server';
import { timing } from '../../src/temporal/worker';

const root = path.join(__dirname, '..', '..');
const read = (name: string): string => readFileSync(path.join(root, name), 'utf8');

/** A volume by its name, or a file of the repository. */
const mount = z.union([
  z.string().transform((text) => {
    const [source = '', target = ''] = text.split(':');
    return { source, target };
  }),
  z.object({ source: z.string(), target: z.string() }),
]);

const service = z.looseObject({
  image: z.string(),
  build: z.string().optional(),
  entrypoint: z.array(z.string()).default([]),
  command: z.array(z.string()).default([]),
  environment: z.record(z.string(), z.string().nullable()).default({}),
  ports: z.array(z.string()).default([]),
  volumes: z.array(mount).default([]),
  secrets: z.array(z.string()).default([]),
});
const compose = z.object({
  services: z.record(z.string(), service),
  secrets: z.record(z.string(), z.object({ file: z.string() })),
});
const { services, secrets } = compose.parse(parse(read('docker-compose.yml'), { merge: true }));
const { worker, serve, temporal, 'temporal-ui': ui, 'web-ui': proxy } = services;

/** Instructions of the Dockerfile, continued lines joined; the last stage is the image. */
const stages = read('Dockerfile')
  .replace(/^\s*#.*\n/gm, '')
  .replace(/\\\n/g, ' ')
  .split(/^(?=FROM )/m)
  .map((stage) => stage.trim().split('\n'));
const image = stages.at(-1)!;
const argumentsOf = (stage: readonly string[], instruction: string): string[] =>
  stage
    .filter((line) => line.startsWith(`${instruction} `))
    .map((line) => line.slice(instruction.length + 1).trim());

describe('docker-compose.yml', () => {
  it('opens ports to this machine only [P27]', () => {
    const ports = Object.values(services).flatMap(({ ports }) => ports);
    expect(ports.filter((port) => !port.startsWith('127.0.0.1:'))).toEqual([]);
  });

  it('pins each image to a version, and external ones to their bytes [P28]', () => {
    const pinned = /:v?\d+\.\d+[\w.-]*@sha256:[0-9a-f]{64}$/;
    const isPinned = ({ image, build }: (typeof services)[string]): boolean =>
      build === undefined ? pinned.test(image) : /:\d+\.\d+[\w.-]*$/.test(image);
    expect(Object.values(services).filter((each) => !isPinned(each))).toEqual([]);
  });

  it("closes Temporal's own connections as `portolan up` does [P24]", () => {
    const [file = ''] = temporal!.volumes.map(({ source }) => source);
    const settings = z
      .record(z.string(), z.tuple([z.object({ value: z.unknown() })]))
      .parse(parse(read(file)));
    const set = Object.entries(settings).map(([name, [{ value }]]) => `${name}=${JSON.stringify(value)}`);
    const more = [
      // As many as a development server answers by itself.
      'frontend.namespaceRPS.visibility=100',
      // Two portals take turns where calls wait for a worker.
      'matching.enableFairness=true',
    ];
    expect(set.sort()).toEqual([...closedConfig, ...more].sort());
  });

  it('has no secret in itself or in a variable of a container [P27]', () => {
    const secret = /PASSWORD|PWD|SECRET|TOKEN|KEY/;
    const given = Object.values(services)
      .flatMap(({ environment }) => Object.entries(environment))
      .filter(([name]) => secret.test(name));
    expect(given.filter(([, value]) => value?.startsWith('/run/secrets/') !== true)).toEqual([]);
    expect(read('docker-compose.yml')).not.toMatch(/(PASSWORD|PWD|KEY)(: |=)\$\{/);
  });

  it("publishes Temporal's UI through a proxy for this machine only [P27]", () => {
    expect(ui!.ports).toEqual([]);
    expect(proxy!.volumes.map(({ source, target }) => [source, target])).toEqual([
      ['./docker/web-ui.conf', '/etc/nginx/conf.d/default.conf'],
    ]);
    // `npm run test:ways` runs it.
    const conf = read('docker/web-ui.conf');
    const [, port = ''] = /listen (\d+) default_server;\s+return 403;/.exec(conf) ?? [];
    expect(proxy!.ports).toEqual([`127.0.0.1:${port}:${port}`]);
    expect(conf.match(/server_name .*/g)).toEqual(['server_name 127.0.0.1 localhost;']);
  });

  it('gives workers and servers the secrets that docker/secrets.sh creates', () => {
    expect(worker!.secrets).toEqual(serve!.secrets);
    const configured = [...read('docker/portolan.yaml').matchAll(/\/run\/secrets\/([\w.-]+)/g)];
    expect(worker!.secrets.toSorted()).toEqual([...new Set(configured.map(([, name]) => name))].sort());
    const script = read('docker/secrets.sh');
    for (const [name, { file }] of Object.entries(secrets)) {
      expect(file).toBe(`./docker/secrets/${name}`);
      const [portal, kind] = name.split('.');
      expect(script).toMatch(kind === 'password' && portal !== 'database' ? ` ${portal}` : ` ${name}`);
    }
    const used = Object.values(services).flatMap(({ secrets: given }) => given);
    expect([...new Set(used)].sort()).toEqual(Object.keys(secrets).sort());
    expect(read('.gitignore')).toContain('docker/secrets/');
  });

  it('gives the worker more time to end than it takes', () => {
    expect(parseInt(worker!.stop_grace_period as string)).toBeGreaterThan(parseInt(timing.shutdownForceTime));
  });

  it('gets no secret when one cannot be created', async () => {
    const folder = await mkdtemp(path.join(os.tmpdir(), 'portolan-secrets-'));
    try {
      const tools = path.join(folder, 'tools');
      await mkdir(tools);
      await writeFile(path.join(tools, 'openssl'), '#!/bin/sh\nexit 1\n', { mode: 0o755 });
      const made = path.join(folder, 'made');
      const env = { PATH: `${tools}:${process.env['PATH']}` };
      const { status } = spawnSync('sh', [path.join(root, 'docker', 'secrets.sh'), made], {
        env,
        input: 'a\nb\n',
      });
      expect(status).not.toBe(0);
      expect(await readdir(made)).toEqual([]);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});

describe('the Dockerfile', () => {
  it('starts each stage with an image pinned to its bytes [P28]', () => {
    for (const [from] of stages) expect(from).toMatch(/^FROM [a-z]+:[\w.-]+@sha256:[0-9a-f]{64}( AS \w+)?$/);
  });

  it('runs the command as a user other than root', () => {
    expect(argumentsOf(image, 'USER')).toEqual(['node']);
  });
});
