import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Client } from '@temporalio/client';
import { stringify } from 'yaml';
import { untilNextLook } from '../src/activities/transfer/jobs';
import { transportGroupId, transportTargetGroupId } from '../src/simulator/seed/transport';
import { ASK_AGAIN_FIRST_MS, ASK_AGAIN_LATER_MS, portalQueueMessages } from '../src/model/run/portal-queue';
import { EVENTS_MAX } from '../src/workflows/run/memory';
import { connectTemporal } from '../src/temporal/connection';
import { actionsWithPortalQueues, billedOf, sumOf } from './billed-actions';
import { untilNextWatch } from '../src/activities/run/temporal';
import { Child } from './child';
import { countWaiting, type Waiting } from './waiting';
import type { PortalProcess } from './portal-process';
import { besideUp, configFor, syncOnce } from './whole-sync';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** What a run costs in actions of Temporal Cloud. Looks more than one at a job, which depend on the portal, are left out. */
export interface Actions {
  /** Of a sync that nothing disturbs, with its portal queues, by how it writes. */
  readonly sync: { readonly plain: number; readonly overwriting: number };
  /** Of the plain one, what its two portal queues cost beside its own history. */
  readonly portalQueues: number;
  /** Looks at a job in its first hour, and of the portal queue at the run that holds it meanwhile. */
  readonly hourOfWaiting: { readonly looks: number; readonly portalQueue: number };
  /** The same of a whole day. */
  readonly dayOfWaiting: { readonly looks: number; readonly portalQueue: number };
  readonly waiting: Waiting;
  /** How often a run asks that waits for a slot for a day, beside the first time. */
  readonly asksInADay: number;
  /** After so many visits a portal queue continues as a new one, which is one action. */
  readonly visitsOfAQueue: number;
}

/** Counts the actions of two real syncs by their histories, beside a `portolan up` of their own. */
export async function countActions(folder: string): Promise<Actions> {
  const [source, target] = [
    new Child<PortalProcess>('portal-process'),
    new Child<PortalProcess>('portal-process'),
  ];
  const quick = { jobMs: 0, jobPolls: 0 };
  const start = (
    portal: typeof source,
    name: string,
    version: string,
    seed: 'transport' | 'transport-target',
  ) => portal.call('start', { ...quick, name, version, state: path.join(folder, `actions-${name}`), seed });
  try {
    const from = await start(source, 'staging', '11.2', 'transport');
    const to = await start(target, 'production', '11.4', 'transport-target');
    const ends = {
      source: { url: from.url, group: transportGroupId },
      target: { url: to.url, group: transportTargetGroupId },
    };
    const file = path.join(folder, 'portolan.yaml');
    const plain = await configFor(folder, ends);
    await writeFile(file, stringify(plain));
    return await besideUp(file, async () => {
      const once = await syncOnce(file);
      await writeFile(
        file,
        stringify({
          ...(await configFor(folder, ends, { overwrite: true, data: 'replace' })),
          temporal: plain.temporal,
        }),
      );
      const again = await syncOnce(file);
      const { client, connection } = await connectTemporal({ address: plain.temporal.address }, 'default');
      try {
        const [first, second] = [
          await actionsWithPortalQueues(client, once.runId),
          await actionsWithPortalQueues(client, again.runId),
        ];
        const own = await billedOf(client, once.runId);
        const visitsOfAQueue = await visitsUntilNew(client);
        await writeFile(
          file,
          stringify({
            ...(await configFor(folder, ends, { approval: 'ask', overwrite: true, data: 'replace' })),
            temporal: plain.temporal,
          }),
        );
        const sync = { plain: sumOf(first) - first.retries, overwriting: sumOf(second) - second.retries };
        return {
          sync,
          portalQueues: sumOf(first) - sumOf(own),
          hourOfWaiting: waitingFor(HOUR_MS),
          dayOfWaiting: waitingFor(DAY_MS),
          waiting: await countWaiting(client, file),
          asksInADay: timesIn(DAY_MS, askAgainPause) - 1,
          visitsOfAQueue,
        };
      } finally {
        await connection.close();
      }
    });
  } finally {
    await Promise.all([source.end(), target.end()]);
  }
}

const waitingFor = (ms: number): Actions['hourOfWaiting'] => ({
  looks: timesIn(ms, untilNextLook),
  portalQueue: timesIn(ms, untilNextWatch),
});

/** Each pause is twice the one before, so that it is as long as all before it, and the first once more. */
const askAgainPause = (elapsedMs: number): number =>
  Math.min(ASK_AGAIN_LATER_MS, elapsedMs + ASK_AGAIN_FIRST_MS);

/** How often something is done within so long, each time that long after the time before. */
function timesIn(ms: number, pauseAfter: (elapsedMs: number) => number): number {
  let times = 0;
  for (let at = 0; at < ms; at += pauseAfter(at)) times += 1;
  return times;
}

/** By the events that visits of real runs have left in the histories of portal queues. */
async function visitsUntilNew(client: Client): Promise<number> {
  let [events, visits] = [0, 0];
  for await (const queue of client.workflow.list({ query: `WorkflowType = 'portalQueue'` })) {
    const { events: history = [] } = await client.workflow
      .getHandle(queue.workflowId, queue.runId)
      .fetchHistory();
    events += history?.length ?? 0;
    visits += (history ?? []).filter(
      ({ workflowExecutionSignaledEventAttributes: signal }) =>
        signal?.signalName === portalQueueMessages.ask,
    ).length;
  }
  return Math.floor(EVENTS_MAX / (events / visits));
}
