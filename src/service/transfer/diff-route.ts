import { PortalPool } from '../../config/portal-pool';
import { resolveRoute } from '../../config/resolve-route';
import type { RouteDiff } from '../../contract/routes';
import { diffGroups } from '../../domain/transfer/diff-groups';
import { readOutcomes } from '../../domain/transfer/outcomes';
import { PortolanError } from '../../model/errors/errors';
import type { Outcomes } from '../../model/transfer/verification';
import type { StoredSources } from '../run/run-sources';

/** The changes a sync would make; writes nothing. Throws `ROUTE_NOT_FOUND`, and errors of the portals. */
export async function diffRoute(
  { config, store, signal }: StoredSources,
  name: string,
  comparesContent: boolean,
): Promise<RouteDiff> {
  const route = resolveRoute(config, { route: name });
  const portals = new PortalPool(config, signal);
  try {
    const { known, why: unknown } = await readOutcomes(store, route).catch(unread);
    const diff = await diffGroups(route, portals, known, { comparesContent });
    const { source, target, options } = route;
    const shown = { name: route.name, source: { ...source }, target: { ...target }, options: { ...options } };
    return { ...diff, route: shown, ...(unknown !== undefined && { unknown }) };
  } finally {
    await portals.close();
  }
}

/** Portals can be compared without a store. */
const unread = (thrown: unknown): { readonly known: Outcomes; readonly why: string } => ({
  known: {},
  why: PortolanError.from(thrown).plainMessage,
});
