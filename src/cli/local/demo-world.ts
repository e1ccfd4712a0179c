import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { stringify } from 'yaml';
import type { Config } from '../../config/config';
import { loadConfig } from '../../config/load-config';
import { answersAt, freePorts } from '../../temporal/dev-server/address';
import { findTemporalCli } from '../../temporal/dev-server/temporal-cli';
import { startTemporalServer, type TemporalServer } from '../../temporal/dev-server/temporal-server';
import { type Simulator, startSimulator } from '../../simulator/simulator';
import { transportGroupId, transportTargetGroupId } from '../../simulator/seed/transport';
import { builtInUsers } from '../../simulator/seed/users';
import { runWorker } from '../../worker';
import { createWorkerLog, logFile } from '../../temporal/worker-log';

/** Two portals, a Temporal server and a worker of this process, with the configuration that names them. */
export interface DemoWorld {
  readonly folder: string;
  readonly config: Config;
  readonly server: TemporalServer;
  readonly portals: readonly Simulator[];
  /** Stops everything; the configuration and the store's records stay for a look. */
  stop(): Promise<void>;
}

/** As `portolan up` has it. */
const uiPortOffset = 1_000;

/** Releases of the two portals: the target runs a later one, as an upgrade leaves them. */
const releases = { staging: '11.2', production: '11.4' } as const;

/**
 * @param ui whether there is a Web UI, for whoever stays to look around
 * @param onStep told before each step, in a few words
 */
export async function startDemoWorld(ui: boolean, onStep: (step: string) => void): Promise<DemoWorld> {
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

    onStep('two simulated portals');
    const portals = [
      await startPortal(folder, 'staging', 'transport'),
      await startPortal(folder, 'production', 'transport-target'),
    ] as const;
    stops.push(async () => {
      await Promise.all(portals.map((portal) => portal.close()));
      await rm(path.join(folder, 'portals'), { recursive: true, force: true });
    });

    onStep('a worker');
    const config = await writeConfig(folder, server, portals);
    const log = logFile(path.join(folder, 'worker.log'));
    const worker = await runWorker(config, { logger: createWorkerLog({ destination: log }) });
    stops.push(() => worker.stop());
    return { folder, config, server, portals, stop };
  } catch (thrown) {
    await stop();
    throw thrown;
  }
}

/** An address whose port above by a thousand is free as well: there the Web UI goes. */
async function freeAddress(): Promise<string> {
  const host = '127.0.0.1';
  for (;;) {
    const [port = 0] = await freePorts(1);
    const ui = { host, port: port + uiPortOffset };
    if (ui.port < 65_536 && !(await answersAt(ui))) return `${host}:${port}`;
  }
}

async function startPortal(folder: string, name: keyof typeof releases, seed: string): Promise<Simulator> {
  const state = path.join(folder, 'portals', name);
  await mkdir(state, { recursive: true, mode: 0o700 });
  return startSimulator({ name, version: releases[name], state, seed });
}

async function writeConfig(
  folder: string,
  server: TemporalServer,
  [staging, production]: readonly [Simulator, Simulator],
): Promise<Config> {
  await writeFile(path.join(folder, 'password'), `${builtInUsers.owner.password}\n`, { mode: 0o600 });
  const auth = { type: 'password', username: builtInUsers.owner.username, password: { file: './password' } };
  const file = path.join(folder, 'portolan.yaml');
  const content = {
    temporal: { address: server.address },
    store: { type: 'local', path: './store' },
    portals: { staging: { url: staging.url, auth }, production: { url: production.url, auth } },
    routes: {
      transport: {
        source: { portal: 'staging', group: transportGroupId },
        target: { portal: 'production', group: transportTargetGroupId },
        overwrite: true,
      },
    },
  };
  await writeFile(file, stringify(content), { mode: 0o600 });
  return loadConfig(file);
}
