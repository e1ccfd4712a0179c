import { CancellationScope, isCancellation } from '@temporalio/workflow';
import { takeBannerDown } from '../run/banner';
import { reading } from '../run/calls';
import { have } from '../run/context';
import { errorRecordOf } from '../run/failure';
import { leave } from '../gate/gates';
import { accountFor, lookAtTarget } from './ledger';
import { waitForJob } from './portal-job';
import type { Phase, PhaseEnd, Run } from '../run/run';

/** Waits for the import and accounts for every item. A job on a portal cannot be stopped: cancelling waits too. */
export const waitImport: Phase = {
  name: 'wait-import',
  async run(run): Promise<PhaseEnd> {
    return await CancellationScope.nonCancellable(async (): Promise<PhaseEnd> => {
      const attempts = await untilOver(run);
      await takeBannerDown(run);
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
  const started = have(run.context, 'importStarted');
  if (run.context.importOver || started.kind !== 'job') return 1;
  try {
    const { polls } = await waitForJob(run, { name: 'import', side: 'target', started });
    run.context.importOver = true;
    return polls;
  } catch (thrown) {
    if (await isOverUnseen(run, thrown)) {
      run.warn('the target forgot the job of the import, and the package is gone: it was carried out');
      run.context.importOver = true;
      return 1;
    }
    await lookAtTarget(run, run.context.openJobs.length === 0);
    throw thrown;
  }
}

/** A portal that forgot a job has ended it where the package is gone: an import removes it last. */
async function isOverUnseen(run: Run, thrown: unknown): Promise<boolean> {
  if (!run.operators || isCancellation(thrown)) return false;
  if (errorRecordOf(thrown, run.route).code !== 'JOB_LOST' || run.route.options.keepPackages) return false;
  const target = have(run.context, 'target');
  const itemId = have(run.context, 'targetPackage');
  const { isThere } = await reading(`package on ${target.name}`).findPackage({ portal: target, itemId });
  return !isThere;
}
