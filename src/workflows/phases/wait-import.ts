import { CancellationScope, isCancellation } from '@temporalio/workflow';
import { observe } from '../observers/observers';
import { reading } from '../run/activity-options';
import { type Facts, known } from '../run/facts';
import { errorRecordOf } from '../run/failure';
import { recordResults, lookAtTarget } from '../transfer/results';
import { waitForJob } from '../transfer/portal-job';
import { phase, type PhaseEnd } from '../run/phase';
import type { RunPackage } from '../transfer/packages';
import type { TransferRun } from '../transfer/transfer-run';

/** Waits for the import and records a result for every item. A portal job cannot be stopped, so cancelling waits too. */
export const waitImport = phase({
  name: 'wait-import',
  goesOnAs: 'import',
  needs: ['target'],
  resumesWith: ({ toImport, traces }: TransferRun) => {
    const mayRun = traces.openJobs.some(({ name }) => name === 'import');
    return mayRun || !toImport ? 'wait-import' : 'preview';
  },
  async run(run: TransferRun, { target }): Promise<PhaseEnd> {
    return await CancellationScope.nonCancellable(async (): Promise<PhaseEnd> => {
      // None if a resume comes here because the results could not be recorded.
      const one = run.toImport;
      const attempts = one ? await untilOver(run, target, one) : 1;
      if (one) one.isImported = true;
      const { length: count } = run.packages;
      if (one && run.toImport) {
        // The run keeps its slot, so that nobody else imports between its packages.
        run.show({ target: 'changed' });
        return { detail: `package ${one.index + 1} of ${count}`, attempts, then: 'import' };
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

/** Returns the number of polls. */
async function untilOver(run: TransferRun, target: Facts['target'], one: RunPackage): Promise<number> {
  const started = known(one, 'importStarted');
  if (started.kind !== 'job') return 1;
  try {
    const { polls } = await waitForJob(run, { name: 'import', side: 'target', part: one.index, started });
    return polls;
  } catch (thrown) {
    if (await isOverUnseen(run, target, one, thrown)) {
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
  target: Facts['target'],
  one: RunPackage,
  thrown: unknown,
): Promise<boolean> {
  if (isCancellation(thrown)) return false;
  if (errorRecordOf(thrown, run.route).code !== 'JOB_LOST' || run.route.options.keepPackages) return false;
  const { isThere } = await reading(`package on ${target.name}`, target.name).findPackage({
    portal: target,
    itemId: known(one, 'onTarget'),
  });
  return !isThere;
}
