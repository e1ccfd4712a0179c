import type { CheckResult } from '../../model/release/promotion';
import { shortRunId } from '../../model/run/run-id';
import type { ErrorRecord } from '../../model/run/run';
import { checking, reading } from '../run/activity-options';
import type { Phase } from '../run/phase';
import { afterFailure } from './groups';
import type { PromotionRun } from './promotion-run';

/** Runs the stage's checks one by one: all of them, so that every failure is reported at once. */
export const checkStage: Phase<PromotionRun> = {
  name: 'checks',
  async run(run) {
    const { runId, stage } = run.input;
    const due = await reading(`checks of ${stage}`).checksOf({ runId });
    if (due.length === 0) return { status: 'skipped', detail: `${stage} has none` };
    const checks: CheckResult[] = [];
    for (const { name: check, longestMs } of due) {
      checks.push(await checking(`check ${check}`, longestMs).runCheck({ runId, check }));
      run.show({ checks: [...checks] });
      await run.save();
    }
    const failed = checks.filter(({ status }) => status === 'failed');
    if (failed.length > 0) return afterFailure(run, failureOf(run, failed, checks.length));
    return { detail: `${checks.length} passed` };
  },
};

function failureOf(run: PromotionRun, failed: readonly CheckResult[], count: number): ErrorRecord {
  const { runId, stage } = run.input;
  const each = failed.map(({ name, problem = 'failed' }) => `${name} ${problem}`);
  return {
    origin: 'target',
    kind: 'permanent',
    code: 'CHECK_FAILED',
    message: `${failed.length} of ${count} checks of ${stage} failed: ${each.join('; ')}`,
    hint: `See their output: portolan run show ${shortRunId(runId)}`,
  };
}
