import { PortolanError } from '../../model/errors/errors';
import { listedIds } from '../../domain/run/listed-ids';
import { mapLimited } from '../../model/map-limited';
import { type RunRecord, runRecord } from '../../model/run/run';
import { keys } from '../../store/keys';
import { keepingTo, moveToBuild } from '../../temporal/deployment';
import { workersOf } from '../../temporal/task-queue';
import { failingTasks } from '../run/lookup/failing-task';
import { type WriteContext, readNote } from '../run/run-sources';
import type { Drain, DrainedRun } from './deployment-view';
import { requireDeployment, seekBuild } from './read-deployment';

const LOOKS_AT_A_TIME = 8;

/**
 * Moves the open runs of a build to the current one, as far as they stand still: those that are parked, that wait for an
 * approval or a window, and whose workflow task fails; and all of them where no worker has that build any more. What is
 * under way ends where it began.
 * @param isLook nothing is to be moved
 * Throws `USAGE` where the build is the current one, or none is current.
 */
export async function drain(sources: WriteContext, text: string, isLook: boolean): Promise<Drain> {
  const { config, temporal } = sources;
  const { taskQueue } = config.temporal;
  const deployment = await requireDeployment(sources);
  const build = seekBuild(deployment, text);
  const to = requireOther(deployment.current, build);
  const hasWorkers = (await workersOf(temporal, taskQueue, build)).length > 0;
  const open: string[] = [];
  const query = keepingTo(taskQueue, deployment.name, build);
  for await (const runId of listedIds(temporal.client, query)) open.push(runId);
  // Without a worker all of them move, whatever becomes of their tasks.
  const failing = hasWorkers ? await failingTasks(temporal, open) : undefined;
  const runs = await mapLimited(open, LOOKS_AT_A_TIME, async (runId): Promise<DrainedRun> => {
    const { value: record } = await readNote(sources.store, keys.record(runId), runRecord);
    const run = { runId, status: record?.status ?? 'running' };
    const why = whyItMoves(record, failing?.has(runId));
    if (why === undefined) return { ...run, becomes: 'stays', why: 'in progress' };
    if (isLook) return { ...run, becomes: 'moves', why };
    const isMoved = await moveToBuild(temporal, runId, deployment.name, to);
    return { ...run, becomes: isMoved ? 'moved' : 'over', why };
  });
  return { build, to, runs };
}

/** @param isFailing undefined where no worker has its build */
function whyItMoves(record: RunRecord | undefined, isFailing: boolean | undefined): string | undefined {
  if (isFailing === undefined) return 'no worker has its version';
  if (isFailing) return 'its workflow task is failing';
  return record?.status === 'parked' || record?.status === 'waiting' ? record.status : undefined;
}

function requireOther(current: string | undefined, build: string): string {
  if (current === undefined) {
    throw new PortolanError('USAGE', 'No version is current, so runs have nowhere to move to.', {
      hint: 'First set one: portolan deploy set-current VERSION',
    });
  }
  if (current !== build) return current;
  throw new PortolanError('USAGE', `Version ${build} is the current one; its runs need not move.`, {
    hint: 'First make another one current: portolan deploy set-current VERSION',
  });
}
