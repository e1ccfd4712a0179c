import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { stringify } from 'yaml';
import type { Config } from '../../config/config';
import { loadConfig } from '../../config/load-config';
import type { SimulatorOptions } from '../../simulator/options';
import { plantSeedText } from '../../simulator/seed/seed-file';
import { type Simulator, startSimulator } from '../../simulator/simulator';
import { findTemporalCli } from '../../temporal/dev-server/temporal-cli';
import { startTemporalServer, type TemporalServer } from '../../temporal/dev-server/temporal-server';
import { createWorkerLog, logFile } from '../../temporal/worker-log';
import { runWorker } from '../../worker';

/** Portals, a Temporal server and a worker of this process, with the configuration that names them. */
export interface DemoWorld {
  readonly folder: string;
  readonly config: Config;
  readonly server: TemporalServer;
  /** Addresses, by their names in portolan.yaml. */
  readonly portals: ReadonlyMap<string, Simulator>;
  /** Stops everything. The configuration and the records stay. */
  stop(): Promise<void>;
}

/** Input of a demo, as the files in `scenes` have it. */
export interface Scene {
  /** Portals by their names in portolan.yaml. */
  readonly portals: Readonly<Record<string, Pick<SimulatorOptions, 'version'> & Partial<SimulatorOptions>>>;
  /** Content by portal: see simulator/seed/seed-file.ts. */
  readonly seeds?: Seeds;
  /** Sections of portolan.yaml. `{NAME}` is the server of a portal that hosts nothing, `{folder}` that of the demo. */
  readonly config: {
    readonly portals?: Readonly<Record<string, object>>;
    readonly [section: string]: object | undefined;
  };
}

export type Seeds = Readonly<Record<string, readonly object[]>>;

export interface DemoOptions {
  /** The account used on all portals. */
  readonly account: { readonly username: string; readonly password: string };
  /** What else the names in the configuration stand for. */
  readonly names: Readonly<Record<string, string>>;
  /** Whether Temporal's Web UI runs too. */
  readonly ui: boolean;
  /** Told before each step, in a few words. */
  readonly onStep: (step: string) => void;
}

/** Starts the world of a demo. */
export async function startDemoWorld(scene: Scene, options: DemoOptions): Promise<DemoWorld> {
  const { ui, onStep } = options;
  const folder = await mkdtemp(path.join(os.tmpdir(), 'portolan-demo-'));
  const stops: (() => Promise<void>)[] = [];
  const stop = async (): Promise<void> => {
    for (const each of stops.splice(0).reverse()) await each();
  };
  try {
    onStep('Temporal');
    const cli = await findTemporalCli({ onSlowStep: onStep });
    const server = await startTemporalServer({
      cli: cli.path,
      address: '127.0.0.1:0',
      ui,
      logFile: path.join(folder, 'temporal.log'),
    });
    stops.push(() => server.stop());

    onStep(`simulated portals: ${Object.keys(scene.portals).join(', ')}`);
    const portals = new Map<string, Simulator>();
    stops.push(async () => {
      await Promise.all([...portals.values()].map((portal) => portal.close()));
      await rm(path.join(folder, 'portals'), { recursive: true, force: true });
    });
    for (const [name, portal] of Object.entries(scene.portals)) {
      const state = path.join(folder, 'portals', name);
      await mkdir(state, { recursive: true, mode: 0o700 });
      portals.set(name, await startSimulator({ name, state, ...portal }));
    }
    await plant(portals, scene.seeds ?? {});

    onStep('a worker');
    const config = await writeConfig({ folder, server, portals }, scene, options);
    const log = logFile(path.join(folder, 'worker.log'));
    const worker = await runWorker(config, { logger: createWorkerLog({ destination: log }) });
    stops.push(() => worker.stop());
    return { folder, config, server, portals, stop };
  } catch (thrown) {
    await stop();
    throw thrown;
  }
}

/** Adds content to portals. */
export async function plant(portals: DemoWorld['portals'], seeds: Seeds): Promise<void> {
  for (const [name, portal] of portals)
    for (const seed of seeds[name] ?? []) await plantSeedText(portal.world, JSON.stringify(seed), name);
}

async function writeConfig(
  { folder, server, portals }: Pick<DemoWorld, 'folder' | 'server' | 'portals'>,
  { config }: Scene,
  { account: { username, password }, names }: DemoOptions,
): Promise<Config> {
  await writeFile(path.join(folder, 'password'), `${password}\n`, { mode: 0o600 });
  const auth = { type: 'password', username, password: { file: './password' } };
  const servers = [...portals].map(([name, { world }]) => [name, world.gisServerUrl] as const);
  const content = {
    temporal: { address: server.address },
    store: { type: 'local', path: './store' },
    ...config,
    portals: Object.fromEntries(
      [...portals].map(([name, { url }]) => [name, { url, auth, ...config.portals?.[name] }]),
    ),
  };
  const file = path.join(folder, 'portolan.yaml');
  const text = filled(stringify(content), { ...names, ...Object.fromEntries(servers), folder });
  await writeFile(file, text, { mode: 0o600 });
  return loadConfig(file);
}

/** Replaces `{name}` by its value; other braces stay. */
export const filled = (text: string, values: Readonly<Record<string, string>>): string =>
  text.replaceAll(/\{(\w+)\}/g, (whole, name: string) => values[name] ?? whole);
