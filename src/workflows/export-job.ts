import { CancellationScope } from '@temporalio/workflow';
import type { ExportStarted } from '../activities/exports';
import { writing } from './calls';
import { have } from './carried';
import { refusal } from './failure';
import { waitForJob } from './portal-job';
import type { Run } from './run';

export interface ExportedPackage {
  readonly itemId: string;
  readonly polls?: number;
  readonly detail: string;
}

/**
 * Waits for an export's package. A job on a portal cannot be stopped, so cancelling waits
 * too: else its package would come when nobody is there to remove it.
 */
export async function packageOf(
  run: Run,
  job: { name: 'export' | 'safeguard'; side: 'source' | 'target'; started: ExportStarted },
): Promise<ExportedPackage> {
  const portal = have(run.carried, job.side);
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
  return made;
}

/** Marks a package as ours, for whoever finds it later. */
export async function markPackage(run: Run, side: 'source' | 'target', itemId: string): Promise<void> {
  const portal = have(run.carried, side);
  const { runId } = run.input;
  run.warn(await writing(`package on ${portal.name} is tagged`).tagPackage({ runId, portal, itemId }));
}
