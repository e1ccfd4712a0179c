import { z } from 'zod';
import type { Config } from '../../config/config';

const end = z.object({ portal: z.string(), group: z.string().describe('group ID') });

/** A route of the configuration. */
export const routeRow = z.object({ name: z.string(), source: end, target: end });
export type RouteRow = z.infer<typeof routeRow>;

/** A portal of the configuration. */
export const portalRow = z.object({ name: z.string(), url: z.string() });
export type PortalRow = z.infer<typeof portalRow>;

export const routeRows = ({ routes }: Config): RouteRow[] =>
  [...routes.values()].map(({ name, source, target }) => ({
    name,
    source: { portal: source.portal, group: source.group },
    target: { portal: target.portal, group: target.group },
  }));

export const portalRows = ({ portals }: Config): PortalRow[] =>
  [...portals.values()].map(({ name, url }) => ({ name, url }));
