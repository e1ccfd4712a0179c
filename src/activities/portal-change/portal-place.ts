import { comparableUrl } from '../../config/portal-url';
import type { Portals } from '../../config/portal-pool';
import type { PortalPlace } from '../../model/portal-change/change';
import { PortolanError } from '../../model/errors/errors';
import type { Portal } from '../../portal/client';

/** Which of these places the worker's configuration does not know under the starter's URL, in words. */
export const differingPlaces = (portals: Portals, places: readonly PortalPlace[]): string[] =>
  places.flatMap(({ portal, url }) => {
    const here = portals.urlOf(portal);
    if (here !== undefined && comparableUrl(here) === comparableUrl(url)) return [];
    return [`${portal} is ${url} for the starter and ${here ?? 'unknown'} for the worker`];
  });

/** The client of a portal that the starter named. Throws CONFIG_MISMATCH where the worker knows another one. */
export function openPlace(portals: Portals, place: PortalPlace): Portal {
  const differing = differingPlaces(portals, [place]);
  if (differing.length > 0) throw new PortolanError('CONFIG_MISMATCH', `${differing.join('; ')}.`);
  return portals.open(place.portal);
}
