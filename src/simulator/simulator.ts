import { join } from 'node:path';
import { Faults } from './faults';
import { listen, type Listening, stop, type Traffic } from './http/listen';
import { Router } from './http/router';
import { Jobs } from './jobs';
import { compileOptions, type Settings, type SimulatorOptions } from './options';
import { RequestLog, type RequestLogEntry } from './request-log';
import { storageRoutes } from './resources/items/item-data';
import { joinParts } from './resources/items/parts';
import { routes } from './routes';
import { plantSeed } from './seed/seeds';
import { addUsers } from './seed/users';
import { upgradeInPlace } from './upgrade';
import { World } from './world';

/** A running simulated portal. */
export interface Simulator {
  /** {base_url}, such as `http://127.0.0.1:PORT/portal/sharing/rest`. */
  readonly url: string;
  readonly port: number;
  /** The portal's state; tests may change it. */
  readonly world: World;
  /** The complete options; may be changed while the portal runs. */
  readonly settings: Settings;
  readonly faults: Faults;
  /** Sets the portal's clock, which keeps running; without a time, to the machine's. @format milliseconds since the epoch */
  setClock(ms: number | undefined): void;
  /** Requests since the start or `clearRequests`. */
  requests(): RequestLogEntry[];
  clearRequests(): void;
  /** Bytes since the start, including those of the storage server. */
  traffic(): Traffic;
  /** Stops listening and cuts connections, like a killed portal; the state stays. */
  close(): Promise<void>;
}

/**
 * Starts a portal with the HTTP interface of docs/reference/portal-interface.md.
 *
 * @throws Error if the options, the seed or the fault plan are invalid, or the port is in use
 */
export async function startSimulator(options: SimulatorOptions): Promise<Simulator> {
  const settings = compileOptions(options);
  const faults = new Faults(options.faults);
  const world = new World(options.state, settings);
  const jobs = new Jobs(world);
  const log = new RequestLog(join(options.state, 'requests.ndjson'));
  const parts = { world, faults, log, jobs };
  const listening: Listening[] = [];
  const close = async (): Promise<void> => {
    await Promise.all(listening.map(({ server }) => stop(server)));
    await jobs.stop();
    await world.close();
  };
  try {
    const router = new Router(routes);
    const portal = await listen(options, world.portal.port, { ...parts, router });
    listening.push(portal);
    const elsewhere = { ...options, port: 0 };
    const storageParts = { ...parts, router: new Router(storageRoutes) };
    // If its earlier port is in use, any other works: no client keeps URLs of the storage server.
    const storage = await listen(elsewhere, world.portal.storagePort, storageParts).catch(() =>
      listen(elsewhere, undefined, storageParts),
    );
    listening.push(storage);
    world.origin = portal.origin;
    world.storageOrigin = storage.origin;
    world.changePortal({ port: portal.port, storagePort: storage.port });
    await plant(world, options);
    await upgradeInPlace(world);
    takeUp(world, jobs);
    return {
      url: world.sharingUrl,
      port: portal.port,
      world,
      settings,
      faults,
      setClock: (ms) => world.setClock(ms),
      requests: () => log.all(),
      clearRequests: () => log.clear(),
      traffic: () =>
        listening
          .map(({ traffic }) => traffic.total)
          .reduce((sum, one) => ({ received: sum.received + one.received, sent: sum.sent + one.sent })),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

async function plant(world: World, options: SimulatorOptions): Promise<void> {
  if (world.portal.seeded) return;
  addUsers(world, options.passwords);
  await plantSeed(world, options.seed ?? 'empty', options);
  world.changePortal({ seeded: true });
}

/** Continues what an earlier process left unfinished. */
function takeUp(world: World, jobs: Jobs): void {
  jobs.resume();
  for (const { id } of world.items.filter(({ status }) => status === 'processing')) joinParts(world, id);
}
