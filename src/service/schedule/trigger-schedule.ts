import { setTimeout as sleep } from 'node:timers/promises';
import { WorkflowNotFoundError } from '@temporalio/client';
import type { Config } from '../../config/config';
import { openControl } from '../../domain/control/control';
import { PortolanError } from '../../model/errors/errors';
import { shortRunId } from '../../model/run/run-id';
import type { Overlap } from '../../model/schedule/schedule';
import { messageNames, type Supersede } from '../../model/run/run-input';
import { openRunsOf } from './schedule-rows';
import { handleOf, type ServerSchedule } from './server-schedules';
import { overlapPolicies } from './desired-schedules';
import type { ActingSources } from '../run/run-sources';

/** The server takes what is triggered in a moment; by then it is started, or waits for the end of another run. */
const TAKEN_WITHIN_MS = 10_000;
const BUFFERED_WITHIN_MS = 1_000;
/** A run that is superseded has packages to remove. */
const LEFT_WITHIN_MS = 30_000;
const LOOK_EVERY_MS = 100;

/**
 * Starts a run of a schedule now, and returns its id; undefined where it starts later or, by its overlap, never.
 * Throws `USAGE` where a run goes on and nobody said what becomes of it.
 */
export async function triggerSchedule(
  sources: ActingSources,
  { id, name, description }: ServerSchedule,
  overlap: Overlap | undefined,
): Promise<string | undefined> {
  requireNoSecondPerson(sources.config, name);
  const open = await openRunsOf(sources, description);
  const [busy] = open.filter(({ status }) => status !== 'parked');
  if (busy && overlap === undefined) {
    throw new PortolanError('USAGE', `${busy.runId} of schedule ${name} still goes on.`, {
      hint: `Follow it: portolan run watch ${shortRunId(busy.runId)}. To start another one after it: portolan schedule trigger ${name} --overlap buffer-one`,
    });
  }
  const handle = handleOf(sources.temporal, id);
  const before = description.info.numActionsTaken;
  const parked = open.filter((run) => run.status === 'parked');
  for (const { runId } of parked) await supersede(sources, runId);
  await untilAnotherSecond(description.info.recentActions.at(-1)?.takenAt);
  // Nothing goes on, or what does is about to end: it starts now. What is started beside all others, as by Temporal's
  // own trigger, would not be seen by the next one that is due.
  await handle.trigger(overlapPolicies[overlap ?? 'buffer-one']);
  const waits = busy !== undefined && overlap !== 'cancel-other';
  const deadline =
    Date.now() + (waits ? BUFFERED_WITHIN_MS : parked.length > 0 ? LEFT_WITHIN_MS : TAKEN_WITHIN_MS);
  while (Date.now() < deadline) {
    const { info } = await handle.describe();
    if (info.numActionsTaken > before) return info.recentActions.at(-1)?.action.workflow.workflowId;
    await sleep(LOOK_EVERY_MS);
  }
  return undefined;
}

/**
 * What is triggered is started by the schedule, as its record says: whoever did could approve it as a second person.
 * Throws `POLICY_REFUSED` where the portal that is written into asks for one.
 */
function requireNoSecondPerson(config: Config, name: string): void {
  const spec = config.schedules.get(name);
  const route = spec && 'route' in spec ? config.routes.get(spec.route) : undefined;
  const stages = spec && 'pipeline' in spec ? (config.pipelines.get(spec.pipeline)?.stages ?? []) : [];
  const stage = stages.find((each) => spec?.kind === 'promote' && each.name === spec.stage);
  const portal = spec?.kind === 'sync' ? route?.target.portal : stage?.portal;
  if (portal === undefined || config.portals.get(portal)?.policy.twoPeople !== true) return;
  throw new PortolanError(
    'POLICY_REFUSED',
    `The policy of ${portal} asks for a second person, and what schedule ${name} starts does not say who triggered it.`,
    {
      hint: `Start it in your own name: portolan ${spec?.kind === 'sync' ? `sync ${route?.name}` : 'promote'}`,
    },
  );
}

/** Temporal names what it starts by the second: a run that is over already must not give its name to another one. */
async function untilAnotherSecond(last: Date | undefined): Promise<void> {
  if (last === undefined) return;
  const within = Math.floor(last.getTime() / 1000);
  while (Math.floor(Date.now() / 1000) <= within) await sleep(LOOK_EVERY_MS);
}

/** Ends a run that is parked, and that nobody has answered meanwhile. */
async function supersede({ config, temporal, asker }: ActingSources, runId: string): Promise<void> {
  const { supersede: name } = messageNames;
  const message: Supersede = { by: `a run that ${asker.who} triggered` };
  const signed = (await openControl(config)).signAnswer(name, runId, message, asker.identity);
  try {
    await temporal.client.workflow.getHandle(runId).signal(name, signed);
  } catch (thrown) {
    if (!(thrown instanceof WorkflowNotFoundError)) throw thrown;
  }
}
