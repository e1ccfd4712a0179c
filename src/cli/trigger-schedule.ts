import { setTimeout as sleep } from 'node:timers/promises';
import { PortolanError } from '../model/errors';
import { shortRunId } from '../model/run-id';
import type { Overlap } from '../model/schedule';
import type { RunSources } from './read-run';
import { openRunsOf } from './schedule-rows';
import { handleOf, type ServerSchedule } from './server-schedules';
import { overlapPolicies } from './wanted-schedules';

/** The server takes what is triggered in a moment; by then it is started, or waits for the end of another run. */
const TAKEN_WITHIN_MS = 10_000;
const LOOK_EVERY_MS = 100;

/**
 * Starts a run of a schedule now, and returns its id; undefined where it starts later or, by its overlap, never.
 * Throws `USAGE` where a run goes on and nobody said what becomes of it.
 */
export async function triggerSchedule(
  sources: RunSources & Required<Pick<RunSources, 'temporal'>>,
  { id, name, description }: ServerSchedule,
  overlap: Overlap | undefined,
): Promise<string | undefined> {
  const open = await openRunsOf(sources, description);
  const [busy] = open.filter(({ status }) => status !== 'parked');
  if (busy && overlap === undefined) {
    throw new PortolanError('USAGE', `${busy.runId} of schedule ${name} still goes on.`, {
      hint: `Follow it: portolan run watch ${shortRunId(busy.runId)}. To start another one after it: portolan schedule trigger ${name} --overlap buffer-one`,
    });
  }
  const handle = handleOf(sources.temporal, id);
  const before = description.info.numActionsTaken;
  // A run that is parked is no reason to wait: the new one supersedes it.
  await handle.trigger(busy && overlap ? overlapPolicies[overlap] : 'ALLOW_ALL');
  const deadline = Date.now() + (busy && overlap !== 'cancel-other' ? 1_000 : TAKEN_WITHIN_MS);
  while (Date.now() < deadline) {
    const { info } = await handle.describe();
    if (info.numActionsTaken > before) return info.recentActions.at(-1)?.action.workflow.workflowId;
    await sleep(LOOK_EVERY_MS);
  }
  return undefined;
}
