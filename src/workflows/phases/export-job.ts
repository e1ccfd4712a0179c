import type { ExportStarted, StartExport } from '../../activities/transfer/exports';
import { writing } from '../run/calls';
import { have } from '../run/context';
import { mayHaveBegun, refusal } from '../run/failure';
import { enter, leave } from '../gate/gates';
import { noteOpen, noteOver, waitForJob } from './portal-job';
import type { Run } from '../run/run';

interface ExportJob {
  readonly name: 'export' | 'safeguard';
  readonly side: 'source' | 'target';
  readonly started: ExportStarted;
}

export interface ExportedPackage {
  readonly itemId: string;
  readonly polls?: number;
  readonly detail: string;
}

/**
 * Waits for an export's package. A job on a portal cannot be stopped, so cancelling waits
 * too: else its package would come when nobody is there to remove it.
 */
export async function packageOf(run: Run, job: ExportJob): Promise<ExportedPackage> {
  const made = await endOf(run, job);
  run.holds(job.side, made.itemId);
  await leave(run, { side: job.side, direction: 'export' });
  return made;
}

async function endOf(run: Run, job: ExportJob): Promise<ExportedPackage> {
  const portal = have(run.context, job.side);
  const { started } = job;
  if (started.kind === 'nothing') throw refusal('INTERNAL', 'an export without a package was waited for');
  if (started.kind === 'package')
    return { itemId: started.packageItemId, detail: 'the portal answered at once' };
  const { packageItemId, status, polls, done, skipped, failed } = await waitForJob(run, { ...job, started });
  if (!packageItemId) {
    throw refusal(
      'BAD_RESPONSE',
      `${portal.name} ended its ${job.name} job as "${status}" without a package`,
    );
  }
  const lists = `${done} exported, ${skipped} skipped, ${failed} failed`;
  return {
    itemId: packageItemId,
    polls,
    detail: done + skipped + failed === 0 ? 'the package is ready' : lists,
  };
}

/** An export under its gate: noted as open from the post on, until its end is seen. */
export async function startExport(
  run: Run,
  job: Pick<ExportJob, 'name' | 'side'>,
  more: Pick<StartExport, 'items' | 'itemList' | 'planRef' | 'round'>,
): Promise<ExportStarted> {
  const { name, side } = job;
  const portal = have(run.context, side);
  const { runId } = run.input;
  await enter(run, { side, direction: 'export' });
  run.context.wrote[side] = true;
  noteOpen(run, { name, side, startedAt: Date.now() });
  try {
    const started = await writing(`${name} ${side === 'source' ? 'from' : 'on'} ${portal.name}`).startExport({
      runId,
      purpose: name,
      portal,
      groupId: run.end(side).groupId,
      decisions: run.context.parks || undefined,
      ...more,
    });
    if (started.kind !== 'job') noteOver(run, job);
    if (started.kind === 'nothing') await leave(run, { side, direction: 'export' });
    return started;
  } catch (thrown) {
    if (!mayHaveBegun(thrown, run.route)) noteOver(run, job);
    throw thrown;
  }
}

/** Marks a package as ours, for whoever finds it later. */
export async function markPackage(run: Run, side: 'source' | 'target', itemId: string): Promise<void> {
  const portal = have(run.context, side);
  const { runId } = run.input;
  run.warn(await writing(`package on ${portal.name} is tagged`).tagPackage({ runId, portal, itemId }));
}
