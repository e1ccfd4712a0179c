import { z } from 'zod';
import { deliveredTest, hookRow } from '../service/hook/hook-view';
import type { PortolanHooks, PortolanRoutes } from '../service/portolan/operating';
import { examined } from '../service/transfer/examined-view';
import { portalRow, routeRow } from '../service/transfer/route-rows';
import { routeDiffSeen } from '../service/transfer/route-diff-view';
import { type Api, part } from './api';

/** Hooks of the configuration of a server. */
export const httpHooks = (api: Api): PortolanHooks => ({
  list: () => api.get('/hooks', z.array(hookRow)),
  test: (name) => api.post(`/hooks/${part(name)}/test`, deliveredTest, {}),
});

/** Routes of a server's configuration; the server queries the portals. */
export const httpRoutes = (api: Api): PortolanRoutes => ({
  list: () => api.get('/routes', z.array(routeRow)),
  portals: () => api.get('/portals', z.array(portalRow)),
  diff: (route) => api.get(`/routes/${part(route)}/diff`, routeDiffSeen),
  async examine(name, onBegin) {
    const found = await api.post('/doctor', examined, { name });
    onBegin({ of: found.of, name: found.name });
    return found;
  },
});
