import { spawn } from 'node:child_process';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { z } from 'zod';
import manifest from '../../package.json';
import { compileConfig } from '../../src/config/compile-config';
import { temporalDefaults } from '../../src/config/temporal/temporal-connection';
import { configFile } from '../../src/config/file/schema';
import { answersAt, freePorts, parseAddress } from '../../src/temporal/dev-server/address';
import { closedConfig } from '../../src/temporal/dev-server/server-process';
import { timing } from '../../src/temporal/worker';
import { until } from '../support/until';
import { webUiOf } from '../../src/service/run/read-run';

const root = path.join(__dirname, '..', '..');
const read = (name: string): string => readFileSync(path.join(root, name), 'utf8');

const service = z.looseObject({
  image: z.string(),
  build: z.string().optional(),
  entrypoint: z.array(z.string()).default([]),
  command: z.array(z.string()).default([]),
  environment: z.record(z.string(), z.string().nullable()).default({}),
  ports: z.array(z.string()).default([]),
  volumes: z.array(z.string()).default([]),
  depends_on: z.record(z.string(), z.unknown()).default({}),
});
const compose = z.object({
  services: z.record(z.string(), service),
  volumes: z.record(z.string(), z.unknown()),
});
const { services, volumes } = compose.parse(parse(read('docker-compose.yml')));
const { worker, temporal, 'temporal-ui': ui, 'web-ui': door } = services;

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
  it('opens ports to this machine only', () => {
    const ports = Object.values(services).flatMap(({ ports }) => ports);
    expect(ports.filter((port) => !port.startsWith('127.0.0.1:'))).toEqual([]);
  });

  it('pins every image to a version, and what is not built here to its bytes', () => {
    const pinned = /:\d+\.\d+[\w.-]*@sha256:[0-9a-f]{64}$/;
    const isPinned = ({ image, build }: (typeof services)[string]): boolean =>
      build === undefined ? pinned.test(image) : /:\d+\.\d+[\w.-]*$/.test(image);
    expect(Object.values(services).filter((each) => !isPinned(each))).toEqual([]);
  });

  it("closes the server's own ways in and out as portolan up does", () => {
    const [file = ''] = temporal!.volumes.map((volume) => volume.split(':')[0]!);
    const settings = z
      .record(z.string(), z.tuple([z.object({ value: z.unknown() })]))
      .parse(parse(read(file)));
    const set = Object.entries(settings).map(([name, [{ value }]]) => `${name}=${JSON.stringify(value)}`);
    // As many as a development server answers by itself.
    const lists = 'frontend.namespaceRPS.visibility=100';
    expect(set.sort()).toEqual([...closedConfig, lists].sort());
  });

  it('holds no secret, only names of variables', () => {
    const literal = Object.values(services)
      .flatMap(({ environment }) => Object.entries(environment))
      .filter(
        ([name, value]) =>
          /PASSWORD|PWD|SECRET|TOKEN|KEY/.test(name) && value !== null && !value.startsWith('${'),
      );
    expect(literal).toEqual([]);
  });

  it('publishes Temporal and its Web UI where commands on this machine look for them', () => {
    const { address } = temporalDefaults();
    const { port } = parseAddress(address);
    expect(temporal!.ports).toEqual([`127.0.0.1:${port}:7233`]);
    const shown = webUiOf(compileConfig('portolan.yaml', configFile.parse({ portals: {} })), 'run');
    const { port: shownAt } = new URL(shown!);
    expect(door!.ports).toEqual([`127.0.0.1:${shownAt}:${shownAt}`]);
  });

  it('shows the Web UI through the door of portolan up alone, under the names of this machine', async () => {
    expect(ui!.ports).toEqual([]);
    const behind = http.createServer((_request, response) => response.end('the page'));
    await new Promise<void>((resolve) => behind.listen(0, '127.0.0.1', resolve));
    const { port: inner } = behind.address() as AddressInfo;
    const [port = 0] = await freePorts(1);
    // As the container runs it, but with the build of this folder, and with what is at hand for its neighbour.
    const [, flag = '', code = ''] = [...door!.entrypoint, ...door!.command];
    const here = code
      .replace('/opt/portolan', root)
      .replace(/'temporal-ui', port: 8080/, `'127.0.0.1', port: ${inner}`)
      .replace(/'0\.0\.0\.0', port: 8233/, `'127.0.0.1', port: ${port}`);
    const child = spawn(process.execPath, [flag, here], { stdio: 'inherit' });
    try {
      const ask = (host: string): Promise<number | undefined> =>
        new Promise((resolve, reject) =>
          http
            .get({ host: '127.0.0.1', port, headers: { host } }, (answer) =>
              resolve(answer.resume().statusCode),
            )
            .once('error', reject),
        );
      await until('the door', () => answersAt({ host: '127.0.0.1', port }), Boolean);
      expect(await ask(`localhost:${port}`)).toBe(200);
      expect(await ask(`evil.example:${port}`)).toBe(403);
    } finally {
      child.kill();
      await new Promise((resolve) => behind.close(resolve));
    }
  });

  it("tells the worker Temporal's address in variables that it reads", () => {
    const { TEMPORAL_ADDRESS, TEMPORAL_NAMESPACE } = worker!.environment;
    const before = process.env;
    process.env = { ...before, TEMPORAL_ADDRESS: TEMPORAL_ADDRESS!, TEMPORAL_NAMESPACE: TEMPORAL_NAMESPACE! };
    expect(temporalDefaults()).toEqual({ address: 'temporal:7233', namespace: 'default' });
    process.env = before;
    expect(Object.keys(services)).toContain(parseAddress(TEMPORAL_ADDRESS!).host);
  });

  it("mounts the configuration and the store where the image's worker looks for them", () => {
    const [folder] = argumentsOf(image, 'WORKDIR');
    const { store } = configFile.parse({ portals: {} });
    const mounts = worker!.volumes.map((volume) => volume.split(':') as [from: string, to: string]);
    expect(mounts.map(([, to]) => to)).toEqual([`${folder}/portolan.yaml`, `${folder}/var`]);
    expect(store.type === 'local' && path.resolve(folder!, store.path)).toBe(`${folder}/var/store`);
    expect(Object.keys(volumes)).toContain(mounts[1]![0]);
  });

  it('mounts only files that are in the repository or that its reader writes', () => {
    const files = Object.values(services)
      .flatMap(({ volumes }) => volumes.map((volume) => volume.split(':')[0]!))
      .filter((from) => from.startsWith('.'));
    expect(files.filter((file) => !existsSync(path.join(root, file)))).toEqual(
      existsSync(path.join(root, 'portolan.yaml')) ? [] : ['./portolan.yaml'],
    );
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

  it('begins every stage with an image that is pinned to its bytes', () => {
    for (const [from] of stages) expect(from).toMatch(/^FROM [a-z]+:[\w.-]+@sha256:[0-9a-f]{64}( AS \w+)?$/);
  });

  it('builds with a script that exists, on a Node that the project runs on, and not on Alpine', () => {
    const scripts = stages
      .flatMap((stage) => argumentsOf(stage, 'RUN'))
      .flatMap((line) => [...line.matchAll(/npm run (\S+)/g)]);
    expect(scripts.map(([, name]) => name).filter((name) => !(name! in manifest.scripts))).toEqual([]);
    const [oldest] = /\d+\.\d+/.exec(manifest.engines.node)!;
    for (const stage of stages)
      expect(stage[0]).toMatch(new RegExp(`^FROM node:${oldest}\\.\\d+-bookworm-slim`));
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
