import type { AskedCheck, CheckProgress } from '../../domain/release/checks/stage-checks';
import type { CheckResult, DueCheck } from '../../model/release/check-result';
import type { PromotionInput } from '../../model/release/promotion-input';
import type { ActivityDeps } from '../deps';
import { lastProgress, progress, stopSignal } from '../attempt/heartbeat';

/** The stage's checks in this worker's configuration, in order. */
export async function checksOf(deps: ActivityDeps, { runId }: { runId: string }): Promise<DueCheck[]> {
  const { checks } = deps;
  const { pipeline, stage } = await signed(deps, runId);
  return checks.due(pipeline, stage);
}

/**
 * Runs one check of this worker's configuration. A failed check is a result. If the worker dies, it is repeated.
 */
export async function runCheck(
  deps: ActivityDeps,
  { runId, check }: { runId: string; check: string },
): Promise<CheckResult> {
  const { checks } = deps;
  return await checks.carryOut(
    { ...(await signed(deps, runId)), check },
    { signal: stopSignal(), before: lastProgress<CheckProgress>(), onProgress: progress },
  );
}

/** The signed promotion, whatever the workflow says. */
async function signed({ authority }: ActivityDeps, runId: string): Promise<Omit<AskedCheck, 'check'>> {
  const { route, stage, release } = (await authority.requireSigned(
    runId,
    'promotion',
    () => true,
  )) as PromotionInput;
  return { runId, pipeline: route.name, stage, release: release.id };
}
