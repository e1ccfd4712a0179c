import type { AuthorizedWrite } from '../../domain/control/authority';
import type { RestoreInput } from '../../model/run/run-input';
import type { Plan } from '../../model/transfer/plan';
import type { Portal } from '../../portal/client';
import type { ActivityDeps } from '../deps';
import { readOwnPlan } from './plan/stored-lists';

/** A write that belongs to a plan of its run. */
interface PlannedWrite extends Omit<AuthorizedWrite, 'plan'> {
  readonly runId: string;
  /** Key of the plan. @default any approval of the run counts */
  readonly planRef?: string;
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
 * for something else, and what `Authority.require` throws.
 */
export async function openWrite(
  deps: OpenDeps,
  write: PlannedWrite & { readonly planRef: string },
): Promise<OpenedWrite & { readonly plan: Plan }>;
export async function openWrite(deps: OpenDeps, write: PlannedWrite): Promise<OpenedWrite>;
export async function openWrite(
  { portals, store, authority }: OpenDeps,
  { runId, planRef, places, requireFit, ...write }: PlannedWrite,
): Promise<OpenedWrite & { readonly plan?: Plan }> {
  if (places)
    await authority.requireSigned(
      runId,
      'restore',
      (signed) => (signed as RestoreInput).placementRules !== undefined,
    );
  const plan = planRef === undefined ? undefined : await readOwnPlan(store, runId, planRef);
  if (plan) requireFit?.(plan);
  await authority.require(runId, { ...write, plan: plan?.sha256 });
  return { plan, portal: portals.open(write.target.portal) };
}
