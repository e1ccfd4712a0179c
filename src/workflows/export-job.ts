import { CancellationScope } from '@temporalio/workflow';
import type { ExportStarted } from '../activities/exports';
import { writing } from './calls';
import { have } from './carried';
import { refusal } from './failure';
import { waitForJob } from './portal-job';
import type { Run } from './run';

/** Starts an export; from here on something of ours may be on that portal. */
export const enterExport = (
  run: Run,
  side: 'source' | 'target',
  start: () => Promise<ExportStarted>,
): Promise<ExportStarted> => {
  run.carried.wrote[side] = true;
  return start();
};

export interface ExportedPackage {
  readonly itemId: string;
  readonly polls?: number;
  readonly detail: string;
}

/**
 * Waits for an export's package and marks it as ours. A job on a portal cannot be stopped, so cancelling waits
 * too: else its package would come when nobody is there to remove it.
 */
export async function packageOf(
  run: Run,
  job: { name: 'export' | 'safeguard'; side: 'source' | 'target'; started: ExportStarted },
): Promise<ExportedPackage> {
  const portal = have(run.carried, job.side);
  const { runId } = run.input;
  const made = await CancellationScope.nonCancellable(async (): Promise<ExportedPackage> => {
    const { started } = job;
    if (started.kind === 'nothing') throw refusal('INTERNAL', 'an export without a package was waited for');
    if (started.kind === 'package')
      return { itemId: started.packageItemId, detail: 'the portal answered at once' };
    const outcome = await waitForJob(run, { ...job, started });
    if (!outcome.packageItemId)
      throw refusal(
        'BAD_RESPONSE',
        `${portal.name} ended its ${job.name} job as "${outcome.status}" without a package`,
      );
    const { done, skipped, failed } = outcome;
    if (done + skipped + failed === 0)
      return { itemId: outcome.packageItemId, polls: outcome.polls, detail: 'the package is ready' };
    return {
      itemId: outcome.packageItemId,
      polls: outcome.polls,
      detail: `${done} exported, ${skipped} skipped, ${failed} failed`,
    };
  });
  run.carried.packages.push({ side: job.side, itemId: made.itemId });
  run.warn(
    await writing(`package on ${portal.name} is tagged`).tagPackage({ runId, portal, itemId: made.itemId }),
  );
  return made;
}
