import { freezePortal, readFreezes, unfreezePortal } from '../freeze/freezes';
import { readHooks } from '../hook/hooks';
import { portalRows, routeRows } from '../transfer/route-rows';
import type { ReadContext } from '../run/run-sources';
import { whoTypes } from '../run/who';
import type { PortolanFreezes, PortolanHooks, PortolanRoutes } from './operating';

/** Freezes of the store of a configuration. */
export const localFreezes = (sources: ReadContext): PortolanFreezes => ({
  list: (portal) => readFreezes(sources, portal),
  freeze: (request) => freezePortal(sources, request, whoTypes().who),
  unfreeze: (request) => unfreezePortal(sources, request, whoTypes().who),
});

/** Hooks of a configuration, with the secrets that are readable here. */
export const localHooks = ({ config, store }: ReadContext): PortolanHooks => ({
  list: () => readHooks(config, store),
  async test(name) {
    return await (await import('../hook/test-hook.js')).testHook(config, store, name);
  },
});

/** Routes of a configuration; portals are queried from here. */
export const localRoutes = (sources: ReadContext): PortolanRoutes => ({
  list: () => Promise.resolve(routeRows(sources.config)),
  portals: () => Promise.resolve(portalRows(sources.config)),
  async diff(route) {
    return await (await import('../transfer/diff-route.js')).diffRoute(sources, route);
  },
  async examine(name, onBegin) {
    return await (await import('../transfer/examine.js')).examine(sources, name, { onBegin });
  },
});
