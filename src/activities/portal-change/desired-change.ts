import type { ZodType } from 'zod';
import { PortolanError } from '../../model/errors/errors';
import type { ChangeInput } from '../../model/portal-change/change';
import { keys } from '../../store/keys';
import type { ActivityDeps } from '../deps';

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
