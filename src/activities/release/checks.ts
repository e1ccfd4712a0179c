import type { CheckProgress } from '../../domain/release/checks/stage-checks';
import type { CheckResult, DueCheck } from '../../model/release/check-result';
import type { ActivityDeps } from '../deps';
import { lastProgress, progress, stopSignal } from '../attempt/heartbeat';
import { signedPromotion } from './stage';

/** The stage's checks in this worker's configuration, in order. */
export async function checksOf(deps: ActivityDeps, { runId }: { runId: string }): Promise<DueCheck[]> {
  const { route, stage } = await signedPromotion(deps, runId);
  return deps.checks.due(route.name, stage);
}

/**
 * Runs one check of this worker's configuration. A failed check is a result. If the worker dies, it is repeated.
 */
export async function runCheck(
  deps: ActivityDeps,
  { runId, check }: { runId: string; check: string },
): Promise<CheckResult> {
  const { route, stage, release } = await signedPromotion(deps, runId);
  return await deps.checks.carryOut(
    { runId, pipeline: route.name, stage, release: release.id, check },
    { signal: stopSignal(), before: lastProgress<CheckProgress>(), onProgress: progress },
  );
}
