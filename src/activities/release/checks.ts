import type { AskedCheck, CheckProgress } from '../../domain/release/checks/stage-checks';
import type { CheckResult, DueCheck } from '../../model/release/check-result';
import type { PromotionInput } from '../../model/release/promotion-input';
import type { ActivityDeps } from '../deps';
import { lastProgress, progress, stopSignal } from '../attempt/heartbeat';

export function createCheckActivities({ checks, authority }: Pick<ActivityDeps, 'checks' | 'authority'>) {
  /** The signed promotion, whatever the workflow says. */
  const signed = async (runId: string): Promise<Omit<AskedCheck, 'check'>> => {
    const { route, stage, release } = (await authority.requireSigned(
      runId,
      'promotion',
      () => true,
    )) as PromotionInput;
    return { runId, pipeline: route.name, stage, release: release.id };
  };

  return {
    /** The stage's checks in this worker's configuration, in order. */
    async checksOf({ runId }: { runId: string }): Promise<DueCheck[]> {
      const { pipeline, stage } = await signed(runId);
      return checks.due(pipeline, stage);
    },

    /**
     * Runs one check of this worker's configuration. A failed check is a result. If the worker dies, it is repeated.
     */
    async runCheck({ runId, check }: { runId: string; check: string }): Promise<CheckResult> {
      return await checks.carryOut(
        { ...(await signed(runId)), check },
        { signal: stopSignal(), before: lastProgress<CheckProgress>(), onProgress: progress },
      );
    },
  };
}
