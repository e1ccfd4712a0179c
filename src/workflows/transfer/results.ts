import type { LedgerCounts } from '../../model/transfer/ledger';
import { isChosen } from '../../model/transfer/route';
import type { RunInput, RollbackInput } from '../../model/run/run-input';
import { reading, sweeping, writing } from '../run/activity-options';
import type { Facts } from '../run/memory';
import type { TransferRun } from './transfer-run';

/** Records exactly one result for every requested item, and their counts. */
export async function recordResults(run: TransferRun): Promise<LedgerCounts> {
  const target = run.need('target');
  const items = await reading('results of the requested items', target.name).closeLedger({
    ...run.onTarget,
    planRef: run.facts.plan?.ref,
    nothingExported: run.exportedNothing,
    posted: run.packages.filter(({ isPosted }) => isPosted).length,
    importFailure: run.state.importFailure,
  });
  run.show({ items });
  return items;
}

/**
 * Finds out whether a failed or lost import changed anything. Unknown if this cannot be read, or if an import may
 * still start.
 */
export async function lookAtTarget(run: TransferRun, isOver = true): Promise<void> {
  try {
    const target = run.need('target');
    const { changed, of } = await reading('changes', target.name).lookAtTarget({
      ...run.onPlan,
      hasBegun: run.work.begun > 0,
    });
    run.show({ target: changed > 0 ? 'changed' : isOver ? 'untouched' : 'unknown' });
    run.work.targetSeen = `${changed} of ${of} items on ${target.name} have changed since the plan`;
  } catch {
    run.show({ target: 'unknown' });
  }
}

/** Completes the results of a run, however it ended. What cannot be read becomes a warning, never another error. */
export async function finishResults(run: TransferRun, hasFailed: boolean): Promise<void> {
  const { facts, route, state, kind } = run;
  const { requested, target } = facts;
  if (!requested || !target || route.options.planOnly) return;
  await noteLeft(run, target);
  if (kind.isTrial && run.work.begun === 0) return;
  await run.attempt('the results could not be completed', async () => {
    if (!state.items) await recordResults(run);
    if (hasFailed || !kind.isReusable) return;
    if (requested.withFindings && !state.verification)
      run.show({
        verification: await reading('findings of earlier runs').reportFindings({ runId: state.runId }),
      });
    const isUntouched = run.isUntouched || undefined;
    const ended = { ...run.onTarget, isUntouched };
    if (!isChosen(route.options) && !facts.shrunk)
      await writing('state for the next run', target.name).noteLastRun({
        ...ended,
        requested: requested.inGroup,
      });
    else await writing('results for the next run', target.name).noteOutcomes(ended);
  });
}

/** Records the state a promotion leaves, so that its rollback recognizes later edits. */
async function noteLeft(run: TransferRun, target: Facts['target']): Promise<void> {
  const { input, facts, state, kind } = run;
  const { promotion, parent } = input as RunInput & Partial<RollbackInput>;
  if (!promotion || !facts.plan || state.target === 'untouched') return;
  const of = (kind.undoes && parent) || input.runId;
  await run.attempt('a rollback will not know what has been edited since', () =>
    sweeping('final state', target.name).noteLeft({ ...run.onPlan, of }),
  );
}
