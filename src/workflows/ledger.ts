import type { LedgerCounts } from '../model/ledger';
import { reading } from './calls';
import { have } from './carried';
import type { Run } from './run';

/** Puts every requested item into exactly one list, and the figures into the record. */
export async function accountFor(run: Run): Promise<LedgerCounts> {
  const counts = await reading('the ledger').closeLedger({
    runId: run.input.runId,
    route: run.route,
    target: have(run.carried, 'target'),
    planRef: run.carried.plan?.ref,
    nothingExported: run.carried.exported?.kind === 'nothing',
    importPosted: run.carried.importPosted,
  });
  run.state.items = counts;
  return counts;
}

/** After an import that failed or was lost: did it change anything? Where that cannot be read, it stays unknown. */
export async function lookAtTarget(run: Run): Promise<void> {
  try {
    const target = have(run.carried, 'target');
    const { changed, of } = await reading(`what changed on ${target.name}`).lookAtTarget({
      route: run.route,
      target,
      planRef: have(run.carried, 'plan').ref,
    });
    run.state.target = changed > 0 ? 'changed' : 'untouched';
    run.warn(`${changed} of ${of} items on ${target.name} are newer than the plan`);
  } catch {
    run.state.target = 'unknown';
  }
}
