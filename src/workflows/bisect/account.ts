import { reading } from '../run/activity-options';
import { errorRecordOf } from '../run/failure';
import { phase, type PhaseEnd } from '../run/phase';
import type { BisectRun } from './bisect-run';

/** Merges the results of the child runs into one list, however the bisect ended. */
export const account = phase({
  name: 'ledger',
  async run(run: BisectRun): Promise<PhaseEnd> {
    const { runId, parent } = run.input;
    const { items, itemList } = run.route.options;
    const children = (run.state.children ?? []).map((child) => ({
      runId: child.runId,
      failing: run.own.failing[child.runId],
    }));
    try {
      const chosen = { items, itemList };
      const counts = await reading('results of the child runs').uniteLedgers({
        runId,
        parent,
        chosen,
        children,
      });
      run.show({ items: counts });
      return {
        detail: `${counts.imported} imported, ${counts.failed} failed, ${counts.notImported} not imported, ${counts.unaccounted} unaccounted for`,
      };
    } catch (thrown) {
      const { message } = errorRecordOf(thrown, run.route);
      run.warn(`the results could not be completed: ${message}`);
      return { status: 'failed', detail: message };
    }
  },
});
