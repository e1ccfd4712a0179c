import { CancellationScope, isCancellation } from '@temporalio/workflow';
import { observe } from '../observers/observers';
import { reading } from '../run/activity-options';
import type { Facts } from '../run/facts';
import { errorRecordOf } from '../run/failure';
import { recordResults, lookAtTarget } from '../transfer/results';
import { waitForJob } from '../transfer/portal-job';
import { phase, type PhaseEnd } from '../run/phase';
import type { TransferRun } from '../transfer/transfer-run';

/** Waits for the import and records a result for every item. A portal job cannot be stopped, so cancelling waits too. */
export const waitImport = phase({
  name: 'wait-import',
  goesOnAs: 'import',
  needs: ['target', 'targetPackage', 'importStarted'],
  gives: ['importOver'],
  resumesWith: ({ facts, traces }: TransferRun) => {
    const mayRun = traces.openJobs.some(({ name }) => name === 'import');
    return mayRun || facts.importOver ? 'wait-import' : 'preview';
  },
  async run(run: TransferRun, found, give): Promise<PhaseEnd> {
    return await CancellationScope.nonCancellable(async (): Promise<PhaseEnd> => {
      const attempts = run.facts.importOver ? 1 : await untilOver(run, found);
      give({ importOver: true });
      const { index, count } = run.packages;
      if (index + 1 < count) {
        // A run that shares steps keeps its slot, so that nobody else imports between its packages.
        if (!run.sharesSteps) await run.portalQueues.leave(run.ends.target, 'import');
        run.show({ target: 'changed' });
        run.turnTo(index + 1);
        return { detail: `package ${index + 1} of ${count}`, attempts, then: 'import' };
      }
      await observe('imported', run);
      await run.portalQueues.leave(run.ends.target, 'import');
      const items = await recordResults(run);
      run.show({ target: items.imported > 0 ? 'changed' : 'untouched' });
      const { imported, failed, unaccounted } = items;
      return { detail: `${imported} imported, ${failed} failed, ${unaccounted} unaccounted for`, attempts };
    });
  },
});

type Awaited = Pick<Facts, 'target' | 'targetPackage' | 'importStarted'>;

/** Returns the number of polls. */
async function untilOver(run: TransferRun, found: Awaited): Promise<number> {
  const { importStarted: started } = found;
  if (started.kind !== 'job') return 1;
  try {
    const { polls } = await waitForJob(run, { name: 'import', side: 'target', started });
    return polls;
  } catch (thrown) {
    if (await isOverUnseen(run, found, thrown)) {
      run.warn(
        'the target no longer knows the import job, but the package is gone: the import was carried out',
      );
      return 1;
    }
    const { code, message } = errorRecordOf(thrown, run.route);
    if (code === 'JOB_FAILED') run.show({ importFailure: message });
    await lookAtTarget(run, run.traces.openJobs.length === 0);
    throw thrown;
  }
}

/** An import deletes its package last, so a missing package means that a forgotten job has ended. */
async function isOverUnseen(
  run: TransferRun,
  { target, targetPackage: itemId }: Awaited,
  thrown: unknown,
): Promise<boolean> {
  if (isCancellation(thrown)) return false;
  if (errorRecordOf(thrown, run.route).code !== 'JOB_LOST' || run.route.options.keepPackages) return false;
  const { isThere } = await reading(`package on ${target.name}`, target.name).findPackage({
    portal: target,
    itemId,
  });
  return !isThere;
}
