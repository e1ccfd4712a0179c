import { CancellationScope, isCancellation } from '@temporalio/workflow';
import { countOf } from '../../model/text/words';
import { observe } from '../observers/observers';
import { writing } from '../run/activity-options';
import { type Facts, requireFact, openJobs } from '../run/memory';
import { errorRecordOf, mayHaveBegun } from '../run/failure';
import type { Phase, PhaseEnd } from '../run/phase';
import { recheckGuards } from './guards';
import type { RunPackage, TransferRun } from './transfer-run';
import { findPackage, waitForJob } from './portal-job';
import { lookAtTarget, recordResults } from './results';
import { awaitWindow } from './window';
import { readPlan, requireStable } from './preview';

/** Starts the import of exactly the approved plan. A plan that has changed goes back for a new approval. */
export const importGroup: Phase<TransferRun> = {
  name: 'import',
  resumesWith: () => 'preview',
  async run(run) {
    const target = run.need('target');
    const one = requireFact(run, 'toImport');
    await enter(run);
    await recheckGuards(run, target);
    const before = run.facts.approved && run.facts.plan?.hash;
    const plan = await readPlan(run, target, true);
    const { approved, safeguarded } = run.facts;
    const { sha256 } = plan;
    if (sha256 !== approved || (plan.overwrite + (plan.restore ?? 0) > 0 && sha256 !== safeguarded)) {
      requireStable(run);
      run.warn(`the target changed after the approval: plan ${before ?? '?'} became ${plan.hash}`);
      run.learn({ approved: undefined });
      // The new approval may take days, and other runs need the slot.
      await run.portalQueues.leave(run.fullRoute.target, 'import');
      return { status: 'skipped', detail: 'the plan changed and was not imported', then: 'approve' };
    }
    await observe('importing', run);
    try {
      await CancellationScope.nonCancellable(() => post(run, target, one));
    } catch (thrown) {
      if (errorRecordOf(thrown, run.route).code !== 'WINDOW_CLOSED') throw thrown;
      await observe('halted', run);
      const { ruling = { approval: run.route.options.approval, twoPeople: false } } = run.facts;
      run.learn({ ruling: { ...ruling, hasWindows: true } });
      return { status: 'skipped', detail: 'a window closed before the import began', then: 'import' };
    }
    const { length: count } = run.packages;
    const which = count > 1 ? `package ${one.index + 1} of ${count}, of ` : '';
    return { detail: `${which}${countOf(plan.create + plan.overwrite, 'item')}` };
  },
};

/** Waits for a window and a slot. If it had to wait for the slot, checks the window again. */
async function enter(run: TransferRun): Promise<void> {
  let hasStood: boolean;
  do {
    await awaitWindow(run, 'import');
    hasStood = await run.portalQueues.enter(run.fullRoute.target, 'import');
  } while (hasStood && run.facts.ruling?.hasWindows);
}

/** Sends the import. Not cancelled halfway, because a portal job cannot be called back. */
async function post(run: TransferRun, target: Facts['target'], one: RunPackage): Promise<void> {
  const { work, fullRoute: route } = run;
  const { index: packageIndex } = one;
  work.begun += 1;
  run.show({ target: 'unknown', importFailure: undefined });
  work.jobs.import = { name: 'import', packageIndex, startedAt: Date.now() };
  try {
    one.importStarted = await writing('import', target.name).startImport({
      ...run.onPlan,
      packageItemId: requireFact(one, 'onTarget'),
      round: work.round,
      packageIndex,
    });
    one.isPosted = true;
    if (one.importStarted.kind === 'ended') work.jobs.import = undefined;
  } catch (thrown) {
    const mayRun = mayHaveBegun(thrown, route);
    one.isPosted ||= mayRun;
    if (!mayRun) {
      work.begun -= 1;
      work.jobs.import = undefined;
    }
    await lookAtTarget(run, !mayRun);
    throw thrown;
  }
}

/** Waits for the import and records a result for every item. A portal job cannot be stopped, so cancelling waits too. */
export const waitImport: Phase<TransferRun> = {
  name: 'wait-import',
  goesOnAs: 'import',
  resumesWith: ({ toImport, work }: TransferRun) =>
    work.jobs.import || !toImport ? 'wait-import' : 'preview',
  async run(run) {
    return await CancellationScope.nonCancellable(async (): Promise<PhaseEnd> => {
      // None if a resume comes here because the results could not be recorded.
      const one = run.toImport;
      if (one) await untilOver(run, one);
      if (one) one.isImported = true;
      const { length: count } = run.packages;
      if (one && run.toImport) {
        // The run keeps its slot, so that nobody else imports between its packages.
        run.show({ target: 'changed' });
        return { detail: `package ${one.index + 1} of ${count}`, then: 'import' };
      }
      await observe('imported', run);
      await run.portalQueues.leave(run.fullRoute.target, 'import');
      const items = await recordResults(run);
      run.show({ target: items.imported > 0 ? 'changed' : 'untouched' });
      const { imported, failed, unaccounted } = items;
      return { detail: `${imported} imported, ${failed} failed, ${unaccounted} unaccounted for` };
    });
  },
};

async function untilOver(run: TransferRun, one: RunPackage): Promise<void> {
  const started = requireFact(one, 'importStarted');
  if (started.kind !== 'job') return;
  try {
    await waitForJob(run, { ...started, name: 'import', packageIndex: one.index });
  } catch (thrown) {
    if (await isOverUnseen(run, one, thrown)) {
      run.warn(
        'the target no longer knows the import job, but the package is gone: the import was carried out',
      );
      return;
    }
    const { code, message } = errorRecordOf(thrown, run.route);
    if (code === 'JOB_FAILED') run.show({ importFailure: message });
    await lookAtTarget(run, openJobs(run.work).length === 0);
    throw thrown;
  }
}

/** An import deletes its package last, so a missing package means that a forgotten job has ended. */
async function isOverUnseen(run: TransferRun, one: RunPackage, thrown: unknown): Promise<boolean> {
  if (isCancellation(thrown)) return false;
  if (errorRecordOf(thrown, run.route).code !== 'JOB_LOST' || run.route.options.keepPackages) return false;
  return !(await findPackage(run, 'target', requireFact(one, 'onTarget'))).isThere;
}
