import { CancellationScope } from '@temporalio/workflow';
import { have } from '../carried';
import { leave } from '../gates';
import { accountFor, lookAtTarget } from '../ledger';
import { waitForJob } from '../portal-job';
import type { Phase, PhaseEnd, Run } from '../run';

/** Waits for the import and accounts for every item. A job on a portal cannot be stopped: cancelling waits too. */
export const waitImport: Phase = {
  name: 'wait-import',
  async run(run): Promise<PhaseEnd> {
    return await CancellationScope.nonCancellable(async (): Promise<PhaseEnd> => {
      const attempts = await untilOver(run);
      await leave(run, { side: 'target', direction: 'import' });
      const items = await accountFor(run);
      run.state.target = items.imported > 0 ? 'changed' : 'untouched';
      const { imported, failed, unaccounted } = items;
      return { detail: `${imported} imported, ${failed} failed, ${unaccounted} unaccounted`, attempts };
    });
  },
};

/** Returns how often the portal was asked. */
async function untilOver(run: Run): Promise<number> {
  const started = have(run.carried, 'importStarted');
  if (run.carried.importOver || started.kind !== 'job') return 1;
  try {
    const { polls } = await waitForJob(run, { name: 'import', side: 'target', started });
    run.carried.importOver = true;
    return polls;
  } catch (thrown) {
    await lookAtTarget(run, run.carried.openJobs.length === 0);
    throw thrown;
  }
}
