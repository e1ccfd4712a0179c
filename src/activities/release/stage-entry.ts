import { listStage, marksOf } from '../../domain/release/stage-listing';
import type { PromotionEntry } from '../../model/release/promotion';
import type { PromotionInput } from '../../model/release/promotion-input';
import type { ActivityDeps } from '../deps';
import { serverTime } from '../attempt/clock';
import { lastError, progress, stopSignal } from '../attempt/heartbeat';
import { signedPromotion } from './stage';

type Outcome = Pick<PromotionEntry, 'kind' | 'status' | 'approvedBy' | 'reason' | 'checks'> & {
  readonly runId: string;
  readonly groups: readonly { readonly index: number; readonly runId: string }[];
  readonly portal: Pick<PromotionEntry, 'settings' | 'categories'>;
};

/** Records the outcome of a promotion, which sets the stage's current release. */
export async function commitPromotion(
  deps: ActivityDeps,
  { runId, kind, status, groups, portal, approvedBy, reason, checks }: Outcome,
): Promise<void> {
  const input = await signedPromotion(deps, runId);
  const listed = await listedOf(deps, input);
  await deps.snapshots.releases.promotions.add({
    ...{ pipeline: input.route.name, stage: input.stage, runId, kind, status },
    ...{ release: input.release.id, sha256: input.release.sha256 },
    ...(kind === 'rolled-back' && { undoes: input.undoes ?? runId }),
    ...(input.hotfix && { hotfix: true }),
    who: input.startedBy,
    reason: reason ?? input.reason,
    approvedBy,
    checks,
    at: new Date(serverTime()).toISOString(),
    groups: groups.map(({ index, runId: by }) => {
      const { name = '', groupId = '' } = input.groups[index] ?? {};
      return { name, groupId, runId: by };
    }),
    ...(listed && { listed }),
    settings: portal.settings,
    categories: portal.categories,
  });
}

/** The content of the stage's groups; undefined if unreadable, which does not fail the promotion. */
async function listedOf(
  { portals }: ActivityDeps,
  { route, groups }: PromotionInput,
): Promise<PromotionEntry['listed']> {
  try {
    const options = { signal: stopSignal() };
    const note = (done: number): void => progress({ listed: done, of: groups.length });
    return marksOf(await listStage(portals.open(route.target.portal), groups, options, note));
  } catch (thrown) {
    lastError(thrown);
    return undefined;
  }
}
