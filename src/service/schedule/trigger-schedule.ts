import { setTimeout as sleep } from 'node:timers/promises';
import { WorkflowNotFoundError } from '@temporalio/client';
import { openControl } from '../../domain/control/control';
import { PortolanError } from '../../model/errors/errors';
import { shortRunId } from '../../model/run/run-id';
import type { Overlap } from '../../model/schedule/schedule';
import { messageNames, type Supersede } from '../../model/run/run-input';
import { openRunsOf } from './schedule-rows';
import { noteDone } from './note-done';
import { handleOf, type ServerSchedule, startOfSchedule } from './server-schedules';
import { overlapPolicies } from './desired-schedules';
import type { Context } from '../context';
import type { WriteContext } from '../run/run-sources';
import type { Config } from '../../config/config';
import { namesOfPortal } from '../../config/resolve-route';

/** Time the server needs to start or queue a triggered run. */
const TAKEN_WITHIN_MS = 10_000;
const BUFFERED_WITHIN_MS = 1_000;
/** A superseded run removes its packages first. */
const LEFT_WITHIN_MS = 30_000;
const LOOK_EVERY_MS = 100;

/**
 * Starts a run of a schedule now, and returns its id; undefined where it starts later or, by its overlap, never. Runs of
 * it that are parked are ended first. Throws `USAGE` where a run goes on and nobody said what becomes of it.
 */
export async function triggerSchedule(
  sources: WriteContext & Pick<Context, 'may'>,
  schedule: ServerSchedule,
  overlap: Overlap | undefined,
): Promise<string | undefined> {
  const { id, name, description } = schedule;
  requireNoSecondPerson(sources.config, schedule);
  const open = await openRunsOf(sources, description);
  const [busy] = open.filter(({ status }) => status !== 'parked');
  if (busy && overlap === undefined) {
    throw new PortolanError('USAGE', `${busy.runId} of schedule ${name} is still running.`, {
      hint: `Watch it: portolan run watch ${shortRunId(busy.runId)}. To start another one after it: portolan schedule trigger ${name} --overlap buffer-one`,
    });
  }
  const handle = handleOf(sources.temporal, id);
  const before = description.info.numActionsTaken;
  const parked = open.filter((run) => run.status === 'parked');
  if (parked.length > 0) sources.may.have('operate');
  for (const { runId } of parked) await supersede(sources, runId);
  await untilAnotherSecond(description.info.recentActions.at(-1)?.takenAt);
  // Nothing goes on, or what does is about to end: it starts now. What is started beside all others, as by Temporal's
  // own trigger, would not be seen by the next one that is due.
  await handle.trigger(overlapPolicies[overlap ?? 'buffer-one']);
  await noteDone(sources, 'trigger', name);
  const deadline =
    Date.now() + (busy ? BUFFERED_WITHIN_MS : parked.length > 0 ? LEFT_WITHIN_MS : TAKEN_WITHIN_MS);
  while (Date.now() < deadline) {
    const { info } = await handle.describe();
    if (info.numActionsTaken > before) return info.recentActions.at(-1)?.action.workflow.workflowId;
    await sleep(LOOK_EVERY_MS);
  }
  return undefined;
}

/** Temporal names what it starts by the second: a run that is over already must not give its name to another one. */
async function untilAnotherSecond(last: Date | undefined): Promise<void> {
  if (last === undefined) return;
  const within = Math.floor(last.getTime() / 1000);
  while (Math.floor(Date.now() / 1000) <= within) await sleep(LOOK_EVERY_MS);
}

/** Ends a parked run unless someone has decided meanwhile. */
async function supersede({ config, temporal, asker }: WriteContext, runId: string): Promise<void> {
  const { supersede: name } = messageNames;
  const message: Supersede = { by: `a run triggered by ${asker.who}` };
  const signed = (await openControl(config)).signAnswer(name, runId, message, asker.identity);
  try {
    await temporal.client.workflow.getHandle(runId).signal(name, signed);
  } catch (thrown) {
    if (!(thrown instanceof WorkflowNotFoundError)) throw thrown;
  }
}

/** Kinds of runs that write to a portal after approval. */
const approved: ReadonlySet<string> = new Set(['sync', 'promote']);

/**
 * A run triggered by a person through a schedule is recorded as started by the schedule, so they could approve it as
 * second approver. Throws `POLICY_REFUSED` if the target requires one under any of its names.
 */
function requireNoSecondPerson(config: Config, schedule: ServerSchedule): void {
  const { kind, route } = startOfSchedule(schedule);
  const portal = approved.has(kind) ? portalInto(schedule) : undefined;
  if (portal === undefined || !config.portals.has(portal)) return;
  if (!namesOfPortal(config, portal).some(({ policy }) => policy.twoPeople)) return;
  throw new PortolanError(
    'POLICY_REFUSED',
    `The policy of ${portal} requires a second approver, but a start by schedule ${schedule.name} does not record who requested it.`,
    { hint: `Start it under your own name: portolan ${kind === 'sync' ? `sync ${route}` : 'promote'}` },
  );
}

/** By the server's definition: the file may have changed. */
function portalInto({ description: { action } }: ServerSchedule): string | undefined {
  const [input] = action.args ?? [];
  const { route } = (input ?? {}) as { route?: { target?: { portal?: unknown } } };
  return typeof route?.target?.portal === 'string' ? route.target.portal : undefined;
}
