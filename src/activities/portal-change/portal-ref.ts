import type { Portals } from '../../config/portal-pool';
import { isOneAddress } from '../../model/identity';
import type { PortalRef } from '../../model/portal-change/change';
import { PortolanError } from '../../model/errors/errors';
import type { Portal } from '../../portal/client';

/** Describes the portals whose URL in the worker's configuration differs from the starter's. */
export const differingPortals = (portals: Portals, refs: readonly PortalRef[]): string[] =>
  refs.flatMap(({ portal, url }) => {
    const here = portals.urlOf(portal);
    if (here !== undefined && isOneAddress(here, url)) return [];
    return [`${portal} is ${url} here, but ${here ?? 'unknown'} on the worker`];
  });

/** The client of a portal the starter named. Throws CONFIG_MISMATCH if the worker's differs. */
export function openPortalRef(portals: Portals, ref: PortalRef): Portal {
  const differing = differingPortals(portals, [ref]);
  if (differing.length > 0) throw new PortolanError('CONFIG_MISMATCH', `${differing.join('; ')}.`);
  return portals.open(ref.portal);
}
