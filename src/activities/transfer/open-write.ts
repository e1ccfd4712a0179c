import type { AuthorizedWrite } from '../../domain/control/authority';
import type { RunOnPlan, RunOnTarget } from '../../domain/transfer/portal-facts';
import type { RestoreInput } from '../../model/run/run-input';
import type { Plan } from '../../model/transfer/plan';
import type { Portal } from '../../portal/client';
import type { ActivityDeps } from '../deps';
import { readOwnPlan } from './plan/stored-lists';

/** A write of a run to its target. */
interface RunWrite extends Pick<AuthorizedWrite, 'undoes' | 'hasBegun'> {
  /** Throws if the plan is not for what is written. */
  readonly requireFit?: (plan: Plan) => void;
  /** It places created items, which the run must have been started for. @default false */
  readonly places?: boolean;
}

interface OpenedWrite {
  readonly portal: Portal;
}

type OpenDeps = Pick<ActivityDeps, 'portals' | 'store' | 'authority'>;

/**
 * Called right before a run writes to a portal. Throws NOT_AUTHENTIC if the plan is another run's or the run was started
 * for something else, and what `Authority.require` throws. Without a plan, any approval of the run counts.
 */
export async function openWrite(
  deps: OpenDeps,
  run: RunOnPlan,
  write: RunWrite,
): Promise<OpenedWrite & { readonly plan: Plan }>;
export async function openWrite(
  deps: OpenDeps,
  run: RunOnTarget & Partial<RunOnPlan>,
  write: RunWrite,
): Promise<OpenedWrite>;
export async function openWrite(
  { portals, store, authority }: OpenDeps,
  { runId, route, target: { name: portal }, planRef }: RunOnTarget & Partial<RunOnPlan>,
  { places, requireFit, ...write }: RunWrite,
): Promise<OpenedWrite & { readonly plan?: Plan }> {
  if (places)
    await authority.requireSigned<RestoreInput>(
      runId,
      'restore',
      ({ placementRules }) => placementRules !== undefined,
    );
  const plan = planRef === undefined ? undefined : await readOwnPlan(store, runId, planRef);
  if (plan) requireFit?.(plan);
  const target = { portal, groupId: route.target.groupId };
  await authority.require(runId, { ...write, target, plan: plan?.sha256 });
  return { plan, portal: portals.open(portal) };
}
