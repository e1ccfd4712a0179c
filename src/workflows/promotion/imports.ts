import type { ErrorRecord } from '../../model/run/run';
import { countOf } from '../../model/text/words';
import { eachChild } from '../run/child-runs';
import type { Phase, PhaseEnd } from '../run/phase';
import { refusal } from '../run/failure';
import { importConcurrency, runGroup } from './groups';
import { awaitStageWindow } from './stage';
import type { PromotionRun } from './promotion-run';

/** Imports each group in a child run, as planned and approved. */
export const importGroups: Phase<PromotionRun> = {
  name: 'import',
  resumesWith: () => 'plan',
  async run(run) {
    // Nothing is imported without an approval.
    run.need('approved');
    const isDone = (index: number): boolean => run.own.groups[index]?.stands === 'imported';
    const indices = [...run.input.groups.keys()].filter((index) => !isDone(index));
    const failure = await eachChild(
      run,
      () => indices.shift(),
      importConcurrency(run),
      async (index) => {
        await awaitStageWindow(run, 'import');
        return await importGroup(run, index);
      },
    );
    if (failure) return afterFailure(run, failure);
    const items = (run.state.children ?? [])
      .filter(({ does }) => does === 'import')
      .reduce((sum, { items: some }) => sum + some, 0);
    return { detail: `${countOf(run.input.groups.length, 'group')}, ${countOf(items, 'item')}` };
  },
};

/** Decides how a promotion continues after a failure. Throws if a person must decide. */
export function afterFailure(run: PromotionRun, failure: ErrorRecord): PhaseEnd {
  const { input } = run;
  const isUndone = run.isWritten && input.onFailure === 'rollback' && failure.code !== 'CANCELLED';
  const { planReading = 0 } = run.facts;
  if (failure.code === 'PLAN_CHANGED' && !isUndone && planReading < PLANS_MAX) {
    run.warn(`${failure.message}; planning everything again`);
    run.learn({ approved: undefined });
    return { status: 'skipped', detail: failure.message, then: 'plan' };
  }
  if (!run.isWritten || run.scope.consideredCancelled) return { error: failure, status: 'failed' };
  if (isUndone) {
    run.own.failure = failure;
    run.warn(`${failure.message}; rolling the stage back (onFailure: rollback)`);
    return { status: 'failed', detail: failure.message, then: 'rollback' };
  }
  throw refusal(failure.code, failure.message, failure.hint);
}

/** A stage that changes this often is not stable enough for a promotion. */
const PLANS_MAX = 10;

/** Imports one group. @returns why the promotion cannot continue */
async function importGroup(run: PromotionRun, index: number): Promise<ErrorRecord | undefined> {
  const { name = '' } = run.input.groups[index] ?? {};
  const plan = run.own.groups[index]?.planned?.sha256 ?? '';
  run.portalWork.touchesTarget();
  const { runId, state, status, error } = await runGroup(run, 'import', { index, plan });
  const wrote = state?.target !== 'untouched';
  const isWhole = !error && status !== 'partial';
  if (wrote) {
    run.show({ target: 'changed' });
    run.noteGroup(index, { runId, isWritten: true, safeguard: state?.safeguard?.id });
  }
  if (wrote || isWhole) run.noteGroup(index, { runId, stands: isWhole ? 'imported' : 'unclear' });
  if (isWhole) return undefined;
  if (error) return { ...error, message: `group "${name}": ${error.message}` };
  const { failed = 0, notImported = 0, unaccounted = 0 } = state.items ?? {};
  const { findings = 0 } = state.verification ?? {};
  return {
    origin: 'target',
    kind: 'permanent',
    code: 'PROMOTION_FAILED',
    message: `group "${name}" on the stage differs from the release: ${failed + notImported + unaccounted} of its items not imported, ${countOf(findings, 'finding')} (${runId})`,
    hint: `See them: portolan run show ${runId}`,
  };
}
