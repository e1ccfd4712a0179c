import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { Faults } from './faults';
import { Router, type Route } from './http/router';
import { makeServer, portalListener, type ServerParts } from './http/server';
import { Jobs } from './jobs';
import { compileOptions, type Settings, type SimulatorOptions } from './options';
import { RequestLog, type RequestLogEntry } from './request-log';
import { administrationRoutes } from './resources/administration';
import { categorySchemaRoutes } from './resources/category-schema';
import { communityRoutes } from './resources/community';
import { folderRoutes } from './resources/folders';
import { groupExportRoutes } from './resources/group-export';
import { groupImportRoutes } from './resources/group-import';
import { groupRoutes } from './resources/groups';
import { itemDataRoutes, storageRoutes } from './resources/item-data';
import { itemRoutes } from './resources/items';
import { jobRoutes } from './resources/jobs';
import { finishCommit, partRoutes } from './resources/parts';
import { oauthPageRoutes } from './resources/oauth-page';
import { portalRoutes } from './resources/portals';
import { relationRoutes } from './resources/relations';
import { searchRoutes } from './resources/search';
import { serviceRoutes } from './resources/services';
import { settingsRoutes } from './resources/settings';
import { signInRoutes } from './resources/sign-in';
import { taskRoutes } from './resources/tasks';
import { userContentRoutes } from './resources/user-content';
import { plantSeed } from './seed/seeds';
import { addUsers } from './seed/users';
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
  /** Requests since the start, or since `clearRequests`. */
  requests(): RequestLogEntry[];
  clearRequests(): void;
  /** Stops listening and cuts what is open, as a killed portal would; its state stays. */
  close(): Promise<void>;
}

// Longer patterns first: what is named wins over what stands for anything.
const routes: readonly Route[] = [
  ...signInRoutes,
  ...oauthPageRoutes,
  ...jobRoutes,
  ...settingsRoutes,
  ...categorySchemaRoutes,
  ...portalRoutes,
  ...taskRoutes,
  ...communityRoutes,
  ...groupExportRoutes,
  ...groupImportRoutes,
  ...groupRoutes,
  ...itemDataRoutes,
  ...partRoutes,
  ...itemRoutes,
  ...folderRoutes,
  ...userContentRoutes,
  ...searchRoutes,
  ...relationRoutes,
  ...serviceRoutes,
  ...administrationRoutes,
];

/**
 * Starts a portal that speaks the interface of docs/portal-interface.md over HTTP.
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
  const portal = await listen(options, world.portal.port, { ...parts, router: new Router(routes) });
  const storage = await listen({ ...options, port: 0 }, world.portal.storagePort, {
    ...parts,
    router: new Router(storageRoutes),
  });
  world.origin = portal.origin;
  world.storageOrigin = storage.origin;
  world.changePortal({ port: portal.port, storagePort: storage.port });
  if (!world.portal.seeded) {
    addUsers(world, options.passwords);
    await plantSeed(world, options.seed ?? 'empty', options);
    world.changePortal({ seeded: true });
  }
  jobs.resume();
  for (const item of world.items.values())
    if (item.status === 'processing') void finishCommit(world, item.id);

  return {
    url: world.sharingUrl,
    port: portal.port,
    world,
    settings,
    faults,
    requests: () => log.all(),
    clearRequests: () => log.clear(),
    close: async () => {
      await Promise.all([stop(portal.server), stop(storage.server)]);
      await jobs.stop();
      world.close();
    },
  };
}

interface Listening {
  readonly server: Server;
  readonly port: number;
  readonly origin: string;
}

async function listen(
  options: SimulatorOptions,
  earlier: number | undefined,
  parts: ServerParts,
): Promise<Listening> {
  const server = makeServer(portalListener(parts), options.tls);
  const host = options.host ?? '127.0.0.1';
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port || earlier || 0, host, resolve);
  });
  const { port } = server.address() as AddressInfo;
  return { server, port, origin: `${options.tls ? 'https' : 'http'}://${host}:${port}` };
}

function stop(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
