import type { routeOperations } from '../../contract/routes';
import type { Handlers } from '../context';

export const routeHandlers: Handlers<typeof routeOperations> = {
  listRoutes: ({ config }) =>
    Promise.resolve(
      [...config.routes.values()].map(({ name, source, target }) => ({
        name,
        source: { portal: source.portal, group: source.group },
        target: { portal: target.portal, group: target.group },
      })),
    ),

  listPortals: ({ config }) =>
    Promise.resolve([...config.portals.values()].map(({ name, url }) => ({ name, url }))),

  async diffRoute(context, { route, changes }) {
    const { diffRoute } = await import('./diff-route.js');
    return await diffRoute(context, route, changes);
  },

  async examine(context, { name }) {
    const { config, may } = context;
    if (name === undefined) may.changeShared();
    else may.changeNamed(config.pipelines.has(name) ? 'pipelines' : 'routes', name);
    const { examine } = await import('./examine.js');
    return await examine(context, name);
  },
};
