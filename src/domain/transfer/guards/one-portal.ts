import type { GuardResult } from '../../../model/run/guard';
import type { PortalFacts } from '../portal-facts';
import { portalIdentities, portalIdentity } from '../../../model/address/portal-identity';
import { portalAddress } from '../references/portal-addresses';
import { pass, refuse } from './verdict';

const name = 'two portals';

/**
 * The worker must know the same portals as the starter.
 *
 * @param differing the portals for which that is not so, with both addresses, in words
 */
export function sameConfiguration(differing: readonly string[]): GuardResult {
  const guard = 'configuration';
  if (differing.length === 0) return pass(guard, 'same portals here and on the worker');
  return refuse(guard, 'CONFIG_MISMATCH', {
    saw: differing.join('; '),
    needs: 'the same portals in both configurations',
    todo: 'Use the same portals in both portolan.yaml files.',
  });
}

/**
 * The ends of a route must be two portals. They are one when their addresses, aliases included, name one
 * and the same, or when they describe themselves alike. The portal's id alone proves nothing: most self-managed
 * portals carry the same one.
 */
export function twoPortals(source: PortalFacts, target: PortalFacts): GuardResult {
  const saw = sameAddress(source, target) ?? sameSelf(source, target);
  if (saw === undefined) return pass(name, `${source.name} and ${target.name}`);
  return refuse(name, 'SAME_PORTAL', {
    saw,
    needs: 'two different portals; items keep their IDs',
    todo: 'Choose another portal for one end of the route.',
  });
}

/** Whether both are one portal, by the same signs: what a snapshot remembers may be where it is to go. */
export const isOnePortal = (source: PortalFacts, target: PortalFacts): boolean =>
  (sameAddress(source, target) ?? sameSelf(source, target)) !== undefined;

function sameAddress(source: PortalFacts, target: PortalFacts): string | undefined {
  const addresses = new Set(portalIdentities(source));
  const shared = portalIdentities(target).find((address) => addresses.has(address));
  return shared === undefined ? undefined : `${source.name} and ${target.name} both lead to ${shared}`;
}

/** Both report one id and one host name, in whatever way they are reached. */
function sameSelf(source: PortalFacts, target: PortalFacts): string | undefined {
  if (source.portalId !== target.portalId) return undefined;
  const address = portalIdentity(source.hostname ?? '');
  if (
    address === undefined ||
    address !== portalIdentity(target.hostname ?? '') ||
    !proves(address, source, target)
  ) {
    return undefined;
  }
  return `${source.name} and ${target.name} both report the address ${address}`;
}

/**
 * A host name without port and path, under which both are reached as well, is the machine's and not the
 * portal's: several portals may live there.
 */
function proves(address: string, source: PortalFacts, target: PortalFacts): boolean {
  if (address.includes('/') || address.includes(':')) return true;
  const hosts = [source.url, target.url].map((url) => portalAddress(url)?.host.replace(/:\d+$/, ''));
  return !hosts.every((host) => host === address);
}
