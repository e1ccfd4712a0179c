import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { stringify } from 'yaml';
import type { Config } from '../../config/config';
import { loadConfig } from '../../config/load-config';
import { answersAt, freePorts } from '../../temporal/dev-server/address';
import { findTemporalCli } from '../../temporal/dev-server/temporal-cli';
import { startTemporalServer, type TemporalServer } from '../../temporal/dev-server/temporal-server';
import type { SimulatorOptions } from '../../simulator/options';
import { type Simulator, startSimulator } from '../../simulator/simulator';
import { runWorker } from '../../worker';
import { createWorkerLog, logFile } from '../../temporal/worker-log';

/** Portals, a Temporal server and a worker of this process, with the configuration that names them. */
export interface DemoWorld {
  readonly folder: string;
  readonly config: Config;
  readonly server: TemporalServer;
  /** Addresses, in the order of the portals. */
  readonly portals: readonly Simulator[];
  /** Stops everything. The configuration and the records stay. */
  stop(): Promise<void>;
}

/** Input of a demo. */
export interface Scene {
  /** Portals by their names in portolan.yaml. */
  readonly portals: Readonly<Record<string, Pick<SimulatorOptions, 'version'> & Partial<SimulatorOptions>>>;
  /** The account used on all portals. */
  readonly account: { readonly username: string; readonly password: string };
  /** Adds content to the seeds, and returns further sections of portolan.yaml. */
  prepare(portals: readonly Simulator[], folder: string): Promise<Configured>;
}

export interface Configured {
  /** Further settings of a portal in portolan.yaml. */
  readonly portals?: Readonly<Record<string, object>>;
  /** Further sections of portolan.yaml. */
  readonly rest: object;
}

/** As `portolan up` has it. */
const uiPortOffset = 1_000;

/**
 * @param ui whether there is a Web UI, for whoever stays to look around
 * @param onStep told before each step, in a few words
 */
export async function startDemoWorld(
  scene: Scene,
  ui: boolean,
  onStep: (step: string) => void,
): Promise<DemoWorld> {
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
      address: await freeAddress(),
      ui,
      logFile: path.join(folder, 'temporal.log'),
      endsWithUs: true,
    });
    stops.push(() => server.stop());

    const names = Object.keys(scene.portals);
    onStep(`simulated portals: ${names.join(', ')}`);
    const portals: Simulator[] = [];
    stops.push(async () => {
      await Promise.all(portals.map((portal) => portal.close()));
      await rm(path.join(folder, 'portals'), { recursive: true, force: true });
    });
    for (const [name, options] of Object.entries(scene.portals)) {
      const state = path.join(folder, 'portals', name);
      await mkdir(state, { recursive: true, mode: 0o700 });
      portals.push(await startSimulator({ name, state, ...options }));
    }

    onStep('a worker');
    const config = await writeConfig(folder, server, scene, portals);
    const log = logFile(path.join(folder, 'worker.log'));
    const worker = await runWorker(config, { logger: createWorkerLog({ destination: log }) });
    stops.push(() => worker.stop());
    return { folder, config, server, portals, stop };
  } catch (thrown) {
    await stop();
    throw thrown;
  }
}

/** An address whose port + 1000 is also free, for Temporal's Web UI. */
async function freeAddress(): Promise<string> {
  const host = '127.0.0.1';
  for (;;) {
    const [port = 0] = await freePorts(1);
    const ui = { host, port: port + uiPortOffset };
    if (ui.port < 65_536 && !(await answersAt(ui))) return `${host}:${port}`;
  }
}

async function writeConfig(
  folder: string,
  server: TemporalServer,
  { account, prepare }: Scene,
  simulated: readonly Simulator[],
): Promise<Config> {
  const { portals = {}, rest } = await prepare(simulated, folder);
  await writeFile(path.join(folder, 'password'), `${account.password}\n`, { mode: 0o600 });
  const auth = { type: 'password', username: account.username, password: { file: './password' } };
  const named = simulated.map(({ url, settings: { name } }) => [name, { url, auth, ...portals[name] }]);
  const file = path.join(folder, 'portolan.yaml');
  const content = {
    temporal: { address: server.address },
    store: { type: 'local', path: './store' },
    portals: Object.fromEntries(named) as object,
    ...rest,
  };
  await writeFile(file, stringify(content), { mode: 0o600 });
  return loadConfig(file);
}
