import { readHooks } from '../hook/hooks';
import { portalRows, routeRows } from '../transfer/route-rows';
import type { ReadContext } from '../run/run-sources';
import type { PortolanHooks, PortolanRoutes } from './operating';

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
