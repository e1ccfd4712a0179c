import { type DiskShares, sharesOfPlan } from '../../domain/transfer/guards/disk-shares';
import type { IntendedWrite, Ruling } from '../../model/run/policy';
import type { AwaitedWindow } from '../../domain/policy/policy';
import { askGuards } from '../../domain/transfer/guards/guard-list';
import { inspectAgain } from '../../domain/transfer/guards/inspect';
import type { GuardResult } from '../../model/run/guard';
import type { RouteEnd, RouteTarget } from '../../model/transfer/route';
import type { Store } from '../../store/store';
import type { ActivityDeps } from '../deps';
import { stopSignal } from '../attempt/heartbeat';
import { differingPortals } from '../portal-change/portal-ref';
import { readPlanFile } from './plan/stored-lists';

/** What a run will still put into the content store of its target. @default nothing that is known */
export interface StillToCome {
  /** The package, where it is not there yet. @format bytes */
  readonly upload?: number;
  /** Of a run whose package is there. */
  readonly plan?: {
    /** Key of the plan in the store. */
    readonly ref: string;
    readonly packageBytes: number;
    /** What it overwrites is saved. */
    readonly isSaved: boolean;
  };
}

export interface GuardsAgain {
  readonly end: RouteTarget;
  /** What would be written. */
  readonly asked?: IntendedWrite;
  /** What the portal wants free before an export and an import. @format bytes */
  readonly minBytes: number;
  readonly still: StillToCome;
}

/** The same in bytes, by the plan in the store. */
export async function sharesOf(store: Store, { upload, plan }: StillToCome): Promise<DiskShares> {
  if (!plan) return { upload };
  const { unpacked, safeguard } = sharesOfPlan((await readPlanFile(store, plan.ref)).rows, plan.packageBytes);
  return { unpacked, safeguard: plan.isSaved ? 0 : safeguard };
}

/**
 * Whether starter and worker mean the same portals, and what the policy says of a write. The policy is asked by the
 * portal's name, which says nothing where that is another portal here.
 */
export async function askConfiguration(
  { portals, policy }: Pick<ActivityDeps, 'portals' | 'policy'>,
  ends: readonly RouteEnd[],
  asked: IntendedWrite | undefined,
  { again = false } = {},
): Promise<{ isRefused: boolean; ruling?: Ruling; results: GuardResult[] }> {
  const differing = differingPortals(portals, ends);
  const decision = asked && differing.length === 0 ? await policy.decide(asked) : undefined;
  const results = await askGuards('configuration', { differing, decision }, { again });
  return {
    isRefused: results.some(({ verdict }) => verdict === 'refuse'),
    ruling: decision?.verdict === 'refused' ? undefined : decision?.ruling,
    results,
  };
}

export function createGuardsAgainActivities({ portals, store, policy, authority }: ActivityDeps) {
  return {
    /** For which window an import has to wait, if for any; null where it may begin, or is refused for another reason. */
    async askWindow({
      runId,
      asked,
    }: {
      runId: string;
      asked: IntendedWrite;
    }): Promise<AwaitedWindow | null> {
      return (await authority.windowOf(runId, asked)) ?? null;
    },

    /**
     * Asks the target once more what may have become another answer while somebody was waited for: whether it takes
     * changes, whether the group and the account's right are as they were, and whether there is room for what is
     * still to come. Writes nothing.
     */
    async askGuardsAgain({ end, asked, minBytes, still }: GuardsAgain): Promise<GuardResult[]> {
      const deps = { portals, policy };
      const configuration = await askConfiguration(deps, [end], asked, { again: true });
      if (configuration.isRefused) return configuration.results;
      const shares = await sharesOf(store, still);
      const again = { groupId: end.groupId, into: end, minBytes, shares };
      const answers = await inspectAgain(portals.open(end.portal), again, { signal: stopSignal() });
      return [...configuration.results, ...answers];
    },
  };
}
