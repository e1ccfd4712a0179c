import type { ActivityDeps } from '../../src/activities/deps';
import type { RawPortal } from '../portal/raw-portal';

/** What activities work with that know one portal. */
export function depsAt(portal: RawPortal, more: object): ActivityDeps {
  const client = portal.client();
  return { portals: { open: () => client }, ...more } as unknown as ActivityDeps;
}
