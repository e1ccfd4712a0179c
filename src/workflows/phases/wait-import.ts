import { CancellationScope } from '@temporalio/workflow';
import { have } from '../carried';
import { accountFor, lookAtTarget } from '../ledger';
import { waitForJob } from '../portal-job';
import type { Phase, PhaseEnd } from '../run';

/** Waits for the import and accounts for every item. A job on a portal cannot be stopped: cancelling waits too. */
export const waitImport: Phase = {
  name: 'wait-import',
  async run(run): Promise<PhaseEnd> {
    const started = have(run.carried, 'importStarted');
    return await CancellationScope.nonCancellable(async (): Promise<PhaseEnd> => {
      let attempts = 1;
      if (started.kind === 'job') {
        try {
          const outcome = await waitForJob(run, { name: 'import', side: 'target', started });
          attempts = outcome.polls;
        } catch (thrown) {
          await lookAtTarget(run);
          throw thrown;
        }
      }
      const items = await accountFor(run);
      run.state.target = items.imported > 0 ? 'changed' : 'untouched';
      const { imported, failed, unaccounted } = items;
      return { detail: `${imported} imported, ${failed} failed, ${unaccounted} unaccounted`, attempts };
    });
  },
};
