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

/** What a run will still add to its target's content store. @default nothing known */
export interface StillToCome {
  /** The package, if not there yet. @format bytes */
  readonly upload?: number;
  /** For a run whose package is there. */
  readonly plan?: {
    /** Store key of the plan. */
    readonly ref: string;
    readonly packageBytes: number;
    /** What it overwrites is already saved. */
    readonly isSaved: boolean;
  };
}

export interface GuardsAgain {
  readonly end: RouteTarget;
  /** What would be written. */
  readonly asked?: IntendedWrite;
  /** Free space required before an export and an import. @format bytes */
  readonly minBytes: number;
  readonly still: StillToCome;
}

/** Converts this to bytes, by the stored plan. */
export async function sharesOf(store: Store, { upload, plan }: StillToCome): Promise<DiskShares> {
  if (!plan) return { upload };
  const { unpacked, safeguard } = sharesOfPlan((await readPlanFile(store, plan.ref)).rows, plan.packageBytes);
  return { unpacked, safeguard: plan.isSaved ? 0 : safeguard };
}

/**
 * Checks that starter and worker mean the same portals, and asks the policy about a write. The policy goes by the
 * portal's name, which means nothing if that is another portal here.
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

/** The window an import has to wait for; null if it may start, or is refused for another reason. */
export async function askWindow(
  { authority }: ActivityDeps,
  {
    runId,
    asked,
  }: {
    runId: string;
    asked: IntendedWrite;
  },
): Promise<AwaitedWindow | null> {
  return (await authority.windowOf(runId, asked)) ?? null;
}

/**
 * Repeats preflight checks of the target after waiting: whether it accepts changes, whether the group and the account's
 * privilege are unchanged, and whether there is enough space. Writes nothing.
 */
export async function askGuardsAgain(
  deps: ActivityDeps,
  { end, asked, minBytes, still }: GuardsAgain,
): Promise<GuardResult[]> {
  const { store, portals } = deps;
  const configuration = await askConfiguration(deps, [end], asked, { again: true });
  if (configuration.isRefused) return configuration.results;
  const shares = await sharesOf(store, still);
  const again = { groupId: end.groupId, into: end, minBytes, shares };
  const answers = await inspectAgain(portals.open(end.portal), again, { signal: stopSignal() });
  return [...configuration.results, ...answers];
}
