import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { z } from 'zod';
import manifest from '../../package.json';
import { temporalDefaults } from '../../src/config/temporal/temporal-connection';
import { configFile } from '../../src/config/config';
import { loadConfig } from '../../src/config/load-config';
import { parseAddress } from '../../src/temporal/dev-server/address';
import { closedConfig } from '../../src/temporal/dev-server/temporal-server';
import { timing } from '../../src/temporal/worker';

const root = path.join(__dirname, '..', '..');
const read = (name: string): string => readFileSync(path.join(root, name), 'utf8');

/** A volume by its name, or a file of the repository. */
const mount = z.union([
  z.string().transform((text) => {
    const [source = '', target = ''] = text.split(':');
    return { type: 'volume', source, target, bind: undefined };
  }),
  z.object({
    type: z.string(),
    source: z.string(),
    target: z.string(),
    read_only: z.literal(true),
    bind: z.object({ create_host_path: z.boolean() }).optional(),
  }),
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
  depends_on: z.record(z.string(), z.unknown()).default({}),
});
const compose = z.object({
  services: z.record(z.string(), service),
  volumes: z.record(z.string(), z.unknown()),
  secrets: z.record(z.string(), z.object({ file: z.string() })),
});
const { services, volumes, secrets } = compose.parse(parse(read('docker-compose.yml'), { merge: true }));
const { worker, serve, s3, temporal, 'temporal-ui': ui, 'web-ui': proxy } = services;
const sample = loadConfig(path.join(root, 'docker', 'portolan.yaml'));

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

const sources = readdirSync(path.join(root, 'src'), { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts'))
  .map((file) => read(path.join('src', file)))
  .join('\n');

describe('docker-compose.yml', () => {
  it('opens ports to this machine only [P27]', () => {
    const ports = Object.values(services).flatMap(({ ports }) => ports);
    expect(ports.filter((port) => !port.startsWith('127.0.0.1:'))).toEqual([]);
  });

  it('pins every image to a version, and what is not built here to its bytes [P28]', () => {
    const pinned = /:v?\d+\.\d+[\w.-]*@sha256:[0-9a-f]{64}$/;
    const isPinned = ({ image, build }: (typeof services)[string]): boolean =>
      build === undefined ? pinned.test(image) : /:\d+\.\d+[\w.-]*$/.test(image);
    expect(Object.values(services).filter((each) => !isPinned(each))).toEqual([]);
  });

  it("closes the server's own ways in and out as portolan up does [P24]", () => {
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

  it('holds no secret, only names of files, and puts none into a variable of a container [P27]', () => {
    const secret = /PASSWORD|PWD|SECRET|TOKEN|KEY/;
    const given = Object.values(services)
      .flatMap(({ environment }) => Object.entries(environment))
      .filter(([name]) => secret.test(name));
    expect(given.filter(([, value]) => value?.startsWith('/run/secrets/') !== true)).toEqual([]);
    expect(read('docker-compose.yml')).not.toMatch(/(PASSWORD|PWD|KEY)(: |=)\$\{/);
  });

  it('publishes Temporal where commands on this machine look for it', () => {
    const { port } = parseAddress(temporalDefaults().address);
    expect(temporal!.ports).toEqual([`127.0.0.1:${port}:7233`]);
  });

  it("publishes Temporal's Web UI only through a proxy that knows this machine's names alone [P27]", () => {
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

  it('reaches Temporal, the bucket and the server where its configuration has them', () => {
    expect(Object.keys(services)).toContain(parseAddress(sample.temporal.address).host);
    expect(parseAddress(sample.temporal.address).port).toBe(7233);
    const { store } = configFile.parse(parse(read('docker/portolan.yaml')));
    if (store.type !== 's3') throw new Error('its workers share no folder');
    const { hostname, port } = new URL(store.endpoint!);
    expect(Object.keys(services)).toContain(hostname);
    expect(s3!.command.join(' ')).toContain(`--port :${port} `);
    expect(s3!.command.join(' ')).toContain(`/data/buckets/${store.bucket} `);
    const { port: asked } = parseAddress(sample.serve.address);
    expect(serve!.ports).toEqual([`127.0.0.1:${asked}:${asked}`]);
    expect(sample.serve.url).toBe(`http://127.0.0.1:${asked}`);
  });

  it('asks for the health of workers and servers where they answer', () => {
    const asked = (of: typeof worker): string => JSON.stringify(of!['healthcheck']);
    expect(asked(worker)).toContain(`:${parseAddress(sample.metrics!.address).port}/metrics`);
    // The name under which it is asked is one that it answers.
    expect(asked(serve)).toContain(`'http://${sample.serve.address}/healthz'`);
  });

  it("mounts the configuration where the image's commands look for it, and the store nowhere", () => {
    const [set = ''] = argumentsOf(image, 'ENV');
    const [, file] = /PORTOLAN_CONFIG=(\S+)/.exec(set)!;
    for (const each of [worker, serve])
      expect(each!.volumes).toEqual([
        {
          type: 'bind',
          source: './docker/portolan.yaml',
          target: file,
          read_only: true,
          bind: { create_host_path: false },
        },
      ]);
  });

  it('mounts only files that are in the repository, and volumes that it names', () => {
    const mounts = Object.values(services).flatMap(({ volumes: mounted }) => mounted);
    const files = mounts.filter(({ type }) => type === 'bind');
    expect(files.filter(({ source }) => !existsSync(path.join(root, source)))).toEqual([]);
    expect(files.filter(({ bind }) => bind?.create_host_path !== false)).toEqual([]);
    const named = mounts.filter(({ type }) => type === 'volume').map(({ source }) => source);
    expect([...new Set(named)].sort()).toEqual(Object.keys(volumes).sort());
  });

  it('gives workers and servers the same secrets, each in a file that docker/secrets.sh makes', () => {
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

  it('is given no secret that could not be made', async () => {
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

  it('waits only for services that it has', () => {
    const awaited = Object.values(services).flatMap(({ depends_on }) => Object.keys(depends_on));
    expect(awaited.filter((name) => !(name in services))).toEqual([]);
  });

  it('gives the worker longer to end than the worker takes', () => {
    expect(parseInt(worker!.stop_grace_period as string)).toBeGreaterThan(parseInt(timing.shutdownForceTime));
  });

  it("lets Node use 80 % of the worker's memory", () => {
    const [, megabytes] = /--max-old-space-size=(\d+)/.exec(argumentsOf(image, 'ENV').join(' '))!;
    expect(worker!.mem_limit).toBe('2g');
    expect(Number(megabytes)).toBe(Math.floor(0.8 * 2 * 1024));
  });

  it('gives the image the version of the project', () => {
    expect(worker!.image).toBe(`portolan:${manifest.version}`);
  });
});

describe('the Dockerfile', () => {
  it('copies only what is in the repository or was built from it', () => {
    const copied = stages
      .flatMap((stage) => argumentsOf(stage, 'COPY'))
      .filter((line) => !line.startsWith('--from'))
      .flatMap((line) => line.split(/\s+/).slice(0, -1));
    expect(copied.filter((file) => !existsSync(path.join(root, file)))).toEqual([]);
    const sent = read('.dockerignore')
      .split('\n')
      .filter((line) => line.startsWith('!'))
      .map((line) => line.slice(1));
    expect(sent.sort()).toEqual(copied.sort());
  });

  it('begins every stage with an image that is pinned to its bytes [P28]', () => {
    for (const [from] of stages) expect(from).toMatch(/^FROM [a-z]+:[\w.-]+@sha256:[0-9a-f]{64}( AS \w+)?$/);
  });

  it('builds with a script that exists, on a Node that the project runs on, and not on Alpine', () => {
    const scripts = stages
      .flatMap((stage) => argumentsOf(stage, 'RUN'))
      .flatMap((line) => [...line.matchAll(/npm run (\S+)/g)]);
    expect(scripts.map(([, name]) => name).filter((name) => !(name! in manifest.scripts))).toEqual([]);
    const [, major = '', minor = ''] = /^>=(\d+)\.(\d+)$/.exec(manifest.engines.node)!;
    for (const [from = ''] of stages) {
      const [, ...its] = /^FROM node:(\d+)\.(\d+)\.\d+-bookworm-slim@/.exec(from)!.map(Number);
      expect(its[0]! * 1000 + its[1]!).toBeGreaterThanOrEqual(Number(major) * 1000 + Number(minor));
      // What Temporal's library says that it supports: https://github.com/temporalio/sdk-typescript#nodejs
      expect([20, 22, 24]).toContain(its[0]);
    }
  });

  it("runs the project's command as a user who is not root", () => {
    const linked = argumentsOf(image, 'RUN').join(' ');
    expect(linked).toContain(`ln -s /opt/portolan/${manifest.bin.portolan} /usr/local/bin/portolan`);
    expect(argumentsOf(image, 'ENTRYPOINT')).toEqual(['["portolan"]']);
    expect(argumentsOf(image, 'USER')).toEqual(['node']);
    const [command] = JSON.parse(argumentsOf(image, 'CMD')[0]!) as string[];
    expect(existsSync(path.join(root, 'src', 'cli', 'local', 'commands', `${command}.ts`))).toBe(true);
  });

  it('sets only variables that the code or Node reads', () => {
    const [set] = argumentsOf(image, 'ENV');
    const names = [...set!.matchAll(/([A-Z_]+)=/g)].map(([, name]) => name!);
    const ours = names.filter((name) => name.startsWith('PORTOLAN_'));
    expect(ours).toEqual(['PORTOLAN_CONFIG']);
    for (const name of ours) expect(sources).toContain(`process.env.${name}`);
  });
});
