import { join } from 'node:path';
import { Faults } from './faults';
import { listen, type Listening, stop, type Traffic } from './http/listen';
import { Router } from './http/router';
import { Jobs } from './jobs';
import { compileOptions, type Settings, type SimulatorOptions } from './options';
import { RequestLog, type RequestLogEntry } from './request-log';
import { storageRoutes } from './resources/items/item-data';
import { finishCommit } from './resources/items/parts';
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
  /** What the portal knows; may be changed by tests. */
  readonly world: World;
  /** Compiled options; may be changed while the portal runs. */
  readonly settings: Settings;
  readonly faults: Faults;
  /** Puts the portal's clock to a time, from which it goes on; without one, to the machine's. @format milliseconds since the epoch */
  setClock(ms: number | undefined): void;
  /** Requests since the start, or since `clearRequests`. */
  requests(): RequestLogEntry[];
  clearRequests(): void;
  /** What went over the lines since the start, those to the storage server included. */
  traffic(): Traffic;
  /** Stops listening and cuts what is open, as a killed portal would; its state stays. */
  close(): Promise<void>;
}

/**
 * Starts a portal that speaks the interface of docs/reference/portal-interface.md over HTTP.
 *
 * @throws Error where the options, the seed or the fault plan are not valid, or the port is taken
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
    world.close();
  };
  try {
    const router = new Router(routes);
    const portal = await listen(options, world.portal.port, { ...parts, router });
    listening.push(portal);
    const elsewhere = { ...options, port: 0 };
    const storageParts = { ...parts, router: new Router(storageRoutes) };
    // Whoever has the earlier port by now keeps it: nobody remembers addresses of the storage server.
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

/** Goes on with what an earlier process left half done. */
function takeUp(world: World, jobs: Jobs): void {
  jobs.resume();
  for (const item of world.items.filter(({ status }) => status === 'processing')) {
    void finishCommit(world, item.id);
  }
}
