import type { AuthorizedWrite } from '../../domain/control/authority';
import type { PortalFacts, RunOnPlan, RunOnTarget } from '../../domain/transfer/portal-facts';
import type { RestoreInput } from '../../model/run/run-input';
import type { Plan, PlanRow } from '../../model/transfer/plan';
import type { Portal } from '../../portal/client';
import type { ActivityDeps } from '../deps';
import { readOwnPlan } from './plan/stored-lists';
import { heldWords, promotionInto } from '../../domain/policy/decide';
import { mapLimited } from '../../model/map-limited';
import { PortolanError } from '../../model/errors/errors';
import { REQUESTS_AT_A_TIME } from '../../portal/http/limiter';
import { listGroup } from '../../portal/resources/groups';

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

/** Items in groups of stages, each with its stage: other runs neither overwrite nor delete them. */
export class HeldItems {
  private constructor(private readonly stages: ReadonlyMap<string, string>) {}

  /** Reads the stages' groups. A run of a promotion is not restricted. */
  static async from(
    runId: string,
    { name }: Pick<PortalFacts, 'name'>,
    { portals, authority }: Pick<ActivityDeps, 'portals' | 'authority'>,
  ): Promise<HeldItems> {
    const stages = new Map<string, string>();
    const groups = await authority.heldFrom(runId, name);
    await mapLimited(groups, REQUESTS_AT_A_TIME, async ({ portal, group, stage }) => {
      // The stage's account can read its group; the run's account may not.
      const listed = await listGroup(portals.open(portal), group).catch(unreadable(stage));
      for (const id of listed.keys()) stages.set(id, stage);
    });
    return new HeldItems(stages);
  }

  /** `PIPELINE/STAGE`; undefined if no stage holds the item. */
  by(itemId: string): string | undefined {
    return this.stages.get(itemId);
  }

  /** Why the item must not change; undefined if no stage holds it. */
  whyNot(itemId: string): string | undefined {
    const stage = this.by(itemId);
    return stage === undefined ? undefined : heldWords(stage);
  }

  /** Throws POLICY_REFUSED if a stage holds one of the items to overwrite. */
  requireNone(rows: readonly PlanRow[]): void {
    for (const { itemId, title, action } of rows) {
      const stage = action === 'overwrite' ? this.by(itemId) : undefined;
      if (stage === undefined) continue;
      throw new PortolanError('POLICY_REFUSED', `"${title}" (${itemId}) ${heldWords(stage)}`, {
        hint: `To change it, promote a release: ${promotionInto(stage)}`,
      });
    }
  }
}

/** If a stage's group is unreadable, nothing may be overwritten. */
const unreadable = (stage: string) => (thrown: unknown) => {
  const error = PortolanError.from(thrown);
  if (error.code !== 'GROUP_NOT_FOUND') throw thrown;
  throw error.with({
    hint: `This is a group of stage ${stage}. Give the stage's account access to it, or remove it from the pipeline.`,
  });
};
