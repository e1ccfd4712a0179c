import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import { tsToMs } from '@temporalio/common/lib/time';
import type { temporal } from '@temporalio/proto';
import { portalQueueId, portalQueueMessages, portalQueueWorkflow } from '../src/model/run/portal-queue';
import type { RunRecord } from '../src/model/run/run';
import { actionsWithPortalQueues, billedOf, sumOf } from './billed-actions';

type HistoryEvent = temporal.api.history.v1.IHistoryEvent;

const program = require.resolve('../src/cli/main');

const DAY_MS = 24 * 3_600_000;
const LOOK_EVERY_MS = 200;
const WITHIN_MS = 5 * 60_000;
/** As portolan.yaml has it where it says nothing. */
const QUEUE = 'portolan';
/** A run that waits, or is parked, is no failure of a command. */
const WAITS = 4;

/** What waiting costs in actions, counted from histories of runs that waited. */
export interface Waiting {
  /** A plan that waits for a yes, and is told it. */
  readonly approved: number;
  /** The same, and then parked by a frozen portal and resumed: what that costs more. */
  readonly parked: number;
  /** Each day for which a run waits for a person, as its timers say. */
  readonly waitingDay: number;
  /** Asking once more in a portal queue with no free slot. */
  readonly askAgain: number;
}

/** @param config of a route `transport` that overwrites, and whose plans wait for a yes */
export async function countWaiting(client: Client, config: string): Promise<Waiting> {
  const base = await started(config, '--yes');
  await reached(config, base, 'succeeded');
  const first = await started(config);
  await approved(config, first);
  const second = await started(config);
  await reached(config, second, 'waiting');
  await typed(config, 'freeze', 'production', '--reason', 'parks the run');
  await approved(config, second, 'parked');
  const waitingDay = actionsOfADay((await historyOf(client, second)).filter(isOpenTimer));
  await typed(config, 'unfreeze', 'production');
  await typed(config, 'run', 'resume', second);
  await reached(config, second, 'succeeded');
  const [plain, waited, parked] = await Promise.all(
    [base, first, second].map((runId) => actionsOf(client, runId)),
  );
  if (plain === undefined || waited === undefined || parked === undefined) throw new Error('no actions');
  return {
    approved: waited - plain,
    parked: parked - waited,
    waitingDay,
    askAgain: await countAsking(client, config),
  };
}

/** One run waits in a portal queue until it asks again, which is a minute; an open workflow holds the only slot. */
async function countAsking(client: Client, config: string): Promise<number> {
  const queueId = portalQueueId({ taskQueue: QUEUE, portal: 'staging', direction: 'export' });
  const holder = await client.workflow.start('sync', { taskQueue: 'nobody', workflowId: 'holder' });
  await client.workflow.signalWithStart(portalQueueWorkflow, {
    workflowId: queueId,
    taskQueue: QUEUE,
    signal: portalQueueMessages.ask,
    signalArgs: [{ runId: holder.workflowId, slots: 1 }],
  });
  const run = await started(config);
  /** What it has cost once it has asked so often, and waits to ask again. */
  const standing = async (asks: number): Promise<number> =>
    await looked(`ask ${asks} of ${run}`, async () => {
      const asked = (await historyOf(client, queueId)).filter((event) =>
        signalOf(event, portalQueueMessages.ask, run),
      );
      const own = await historyOf(client, run);
      const timers = own.filter((event) => event.timerStartedEventAttributes).length;
      if (asked.length < asks || timers < asks) return undefined;
      return sumOf(await billedOf(client, run)) + asked.length;
    });
  try {
    return -(await standing(1)) + (await standing(2));
  } finally {
    await holder.terminate();
    await client.workflow.getHandle(run).terminate();
  }
}

const signalOf = (
  { workflowExecutionSignaledEventAttributes: signal }: HistoryEvent,
  name: string,
  words: string,
): boolean =>
  signal?.signalName === name &&
  signal.input?.payloads?.some(({ data }) => Buffer.from(data ?? []).includes(words)) === true;

const isOpenTimer = (event: HistoryEvent, _index: number, events: readonly HistoryEvent[]): boolean =>
  event.timerStartedEventAttributes != null &&
  !events.some(
    ({ timerFiredEventAttributes: fired, timerCanceledEventAttributes: cancelled }) =>
      (fired ?? cancelled)?.startedEventId?.toString() === event.eventId?.toString(),
  );

/** How often the timers that a run waits by are started in a day: not at all where they last longer. */
function actionsOfADay(timers: readonly HistoryEvent[]): number {
  if (timers.length === 0) throw new Error('a run that is parked waits by no timer');
  return timers.reduce((sum, { timerStartedEventAttributes: timer }) => {
    const lastsMs = tsToMs(timer?.startToFireTimeout);
    return sum + (lastsMs >= DAY_MS ? 0 : Math.ceil(DAY_MS / lastsMs));
  }, 0);
}

async function actionsOf(client: Client, runId: string): Promise<number> {
  const actions = await actionsWithPortalQueues(client, runId);
  return sumOf(actions) - actions.retries;
}

async function historyOf(client: Client, workflowId: string): Promise<HistoryEvent[]> {
  const { events } = await client.workflow.getHandle(workflowId).fetchHistory();
  return events ?? [];
}

/** Everything once more, so that there is something to do. */
const started = async (config: string, ...more: string[]): Promise<string> =>
  (await typed(config, 'sync', 'transport', '--full', '--no-wait', ...more)).runId;

async function approved(config: string, runId: string, until?: 'parked'): Promise<void> {
  const { plan } = await reached(config, runId, 'waiting');
  await typed(config, 'run', 'approve', runId, '--plan', plan?.hash ?? '');
  await reached(config, runId, until ?? 'succeeded');
}

const reached = async (config: string, runId: string, ...status: RunRecord['status'][]): Promise<RunRecord> =>
  await looked(`${runId} to be ${status.join(' or ')}`, async () => {
    const record = await typed(config, 'run', 'show', runId);
    if (record.status === 'failed') throw new Error(`${runId} failed: ${record.error?.message}`);
    return status.includes(record.status) ? record : undefined;
  });

/** Types a command. Returns what it prints. */
async function typed(config: string, ...words: string[]): Promise<RunRecord> {
  const child = spawn(process.execPath, [program, ...words, '--config', config, '-o', 'json']);
  const [[status], output, said] = await Promise.all([
    once(child, 'close') as Promise<[number]>,
    text(child.stdout),
    text(child.stderr),
  ]);
  if (status !== 0 && status !== WAITS) throw new Error(`${words.join(' ')} ended with ${status}: ${said}`);
  return JSON.parse(output) as RunRecord;
}

async function looked<T>(what: string, look: () => Promise<T | undefined>): Promise<T> {
  for (const deadline = Date.now() + WITHIN_MS; Date.now() < deadline; await sleep(LOOK_EVERY_MS)) {
    const seen = await look();
    if (seen !== undefined) return seen;
  }
  throw new Error(`waited for ${what}, in vain`);
}
