import type { LedgerCounts } from '../../model/transfer/ledger';
import { reading } from '../run/calls';
import { have } from '../run/context';
import type { Run } from '../run/run';

/** Puts every requested item into exactly one list, and the figures into the record. */
export async function accountFor(run: Run): Promise<LedgerCounts> {
  const counts = await reading('the ledger').closeLedger({
    runId: run.input.runId,
    route: run.ends,
    target: have(run.context, 'target'),
    planRef: run.context.plan?.ref,
    nothingExported: run.context.exported?.kind === 'nothing',
    importPosted: run.context.importPosted,
  });
  run.state.items = counts;
  return counts;
}

/**
 * After an import that failed or was lost: did it change anything? Where that cannot be read, or where an import may
 * still begin, it stays unknown.
 */
export async function lookAtTarget(run: Run, isOver = true): Promise<void> {
  try {
    const target = have(run.context, 'target');
    const { changed, of } = await reading(`what changed on ${target.name}`).lookAtTarget({
      runId: run.input.runId,
      route: run.ends,
      target,
      planRef: have(run.context, 'plan').ref,
    });
    run.state.target = changed > 0 ? 'changed' : isOver ? 'untouched' : 'unknown';
    run.context.targetSeen = `${changed} of ${of} items on ${target.name} are newer than the plan`;
    if (!run.operators) run.warn(run.context.targetSeen);
  } catch {
    run.state.target = 'unknown';
  }
}
