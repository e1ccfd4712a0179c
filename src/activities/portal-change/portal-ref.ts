import type { Portals } from '../../config/portal-pool';
import { isOneAddress } from '../../model/address/portal-identity';
import type { PortalRef, ChangeInput } from '../../model/portal-change/change';
import { PortolanError } from '../../model/errors/errors';
import type { Portal } from '../../portal/client';
import type { ZodType } from 'zod';
import { keys } from '../../store/keys';
import type { ActivityDeps } from '../deps';

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

/** Part of a portal that a run changes. */
export type ChangedPart = 'settings' | 'category schema';

/** What the starter saved in the store for the run to write. */
export async function readDesired<Content>(
  { store }: ActivityDeps,
  runId: string,
  part: ChangedPart,
  schema: ZodType<Content>,
): Promise<Content> {
  const desired = await store.readJson(keys.desired(runId), schema);
  if (desired) return desired;
  throw new PortolanError(
    'CONFIG_MISMATCH',
    `The worker's store, ${store.where}, does not have the ${part} to apply.`,
    { hint: 'Use the same store here and on the worker.' },
  );
}

/** Throws unless the run was accepted and may write to its portal. */
export const requireChange = (
  { authority }: ActivityDeps,
  { runId, portal }: Pick<ChangeInput, 'runId' | 'portal'>,
): Promise<void> => authority.require(runId, { target: { portal: portal.portal } });

export const changedSinceShown = (portal: string, part: ChangedPart): PortolanError =>
  new PortolanError('PLAN_CHANGED', `The ${part} of ${portal} changed after the review.`, {
    portal,
    hint: 'Run the command again and review what it shows.',
  });
