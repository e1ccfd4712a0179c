import { Context } from '@temporalio/activity';
import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import { pageOfRun } from '../../config/page-address';
import type { NotifyConfig } from '../../config/config';
import { PortolanError } from '../../model/errors/errors';
import {
  type Delivery,
  type DeliveryNote,
  pauseAfter,
  deliveryWorkflow,
  type Notice,
  type Notification,
  type NotifyEvent,
  trouble,
  type Trouble,
} from '../../model/run/notification';
import { noteDelivery } from '../../domain/notify/deliveries';
import { retriedForMs } from '../../domain/notify/formats';
import { messageOf, type NotNotified } from '../../domain/notify/message';
import { notifyReceiver } from '../../domain/notify/receivers';
import type { WatchInput } from '../../model/snapshot/watch-age';
import { readUnaltered } from '../../store/authentic/authentic-store';
import { keys } from '../../store/keys';
import type { Store } from '../../store/store';
import type { ActivityDeps } from '../deps';
import { notYet } from '../attempt/failure';
import { attempt, lastProgress, progress, stopSignal, activityTime, timestamp } from '../attempt/heartbeat';
import { webhookId } from '../../domain/hook/signatures';

/** After this many attempts an undelivered message becomes a warning, and the run continues. */
const ATTEMPTS_MAX = 4;
const AGAIN_MS = 2_000;

/** What a later run that succeeds has recovered from. */
const troubles: readonly NotifyEvent[] = ['parked', 'partial', 'failed'];

/** By the receiver's path in the configuration: a warning if it failed, null if delivered. Neither is retried. */
type Settled = Record<string, string | null>;

/**
 * Notifies all subscribers at least once. A repeat skips those already reached. A webhook that fails gets the message
 * later, from its own workflow. Returns a warning for each receiver not notified; never fails a run.
 */
export async function notify(
  deps: ActivityDeps,
  { watch: _watch, ...notice }: Notice & { readonly watch?: WatchInput },
): Promise<string[]> {
  const { config, store } = deps;
  if (config.notify.length === 0) return [];
  const message = messageOf(notice, pageOfRun(config.serve, notice.runId));
  const settled: Settled = { ...lastProgress<{ settled: Settled }>().settled };
  const due = config.notify.filter(
    (receiver) => isFor(receiver, notice.event, notice.route.name) && !(receiver.setting in settled),
  );
  const missed = await Promise.all(
    due.map(async (receiver) => {
      const failed = await notifyReceiver(receiver, message, stopSignal());
      const isLater =
        failed?.again === true && (await deliverLater(deps, receiver, message, notice.event, failed));
      if (failed?.again && !isLater) return failed.problem;
      settled[receiver.setting] = warningOf(notice, failed);
      progress({ settled });
      if (!isLater) await noteDelivery(store, receiver.name, message.id, noteOf(message, failed, attempt()));
      return undefined;
    }),
  );
  const open = missed.filter((problem) => problem !== undefined);
  if (open.length > 0 && attempt() < ATTEMPTS_MAX) throw notYet(open.join('; '), AGAIN_MS * attempt());
  return [
    ...Object.values(settled).filter((problem) => problem !== null),
    ...open.map((problem) => `the notification "${notice.event}" was not sent: ${problem}`),
    ...(await remember(store, notice)),
  ];
}

/** Sends a message again. Returns its status. */
export async function deliver(
  { config, store }: ActivityDeps,
  { receiver: name, message, until, tried }: Delivery,
): Promise<DeliveryNote['status']> {
  const receiver = config.notify.find((each) => each.name === name);
  const attempts = tried + attempt();
  const failed = await (receiver === undefined
    ? { problem: `portolan.yaml no longer has notify.name "${name}"`, again: false }
    : notifyReceiver(receiver, message, stopSignal()));
  const pauseMs = pauseAfter(attempts);
  const isOpen = failed?.again === true && activityTime() + pauseMs < until;
  const note = noteOf(message, failed, attempts, isOpen ? pauseMs : undefined);
  await noteDelivery(store, name, message.id, note);
  if (isOpen) throw notYet(failed.problem, pauseMs);
  return note.status;
}

/** The events of a route that someone subscribes to: `recovered` only after trouble. */
export async function filterSubscribedEvents(
  { config, store }: ActivityDeps,
  { route, events }: Pick<Notice, 'route'> & { readonly events: readonly NotifyEvent[] },
): Promise<NotifyEvent[]> {
  const asked = events.filter((event) =>
    config.notify.some((receiver) => isFor(receiver, event, route.name)),
  );
  if (!asked.includes('recovered')) return asked;
  const { value: wasFailing } = await readUnaltered(store, keys.trouble(route), trouble);
  return wasFailing ? asked : asked.filter((event) => event !== 'recovered');
}

/** Whether a receiver subscribes to an event of a route. Groups of a rule have its name before theirs. */
const isFor = ({ on, routes }: NotifyConfig, event: NotifyEvent, route: string): boolean =>
  on.includes(event) &&
  (routes === undefined || routes.some((name) => route === name || route.startsWith(`${name}/`)));

/**
 * Starts a workflow that delivers the message, so that no run waits for a slow receiver. Returns whether it does.
 * Commands are not delivered later: they are only useful now.
 */
async function deliverLater(
  { config, openControl, store }: ActivityDeps,
  receiver: NotifyConfig,
  message: Notification,
  event: NotifyEvent,
  failed: NotNotified,
): Promise<boolean> {
  if (!('webhook' in receiver)) return false;
  const { name, format } = receiver;
  const withinMs = retriedForMs(format, event);
  if (withinMs === 0) return false;
  const startDelay = pauseAfter(1);
  await noteDelivery(store, name, message.id, noteOf(message, failed, 1, startDelay));
  const workflowId = `${deliveryWorkflow}-${webhookId(message.id)}-${name}`;
  const delivery: Delivery = {
    receiver: name,
    message,
    until: activityTime() + withinMs,
    tried: 1,
  };
  try {
    await Context.current().client.workflow.start(deliveryWorkflow, {
      workflowId,
      workflowIdReusePolicy: 'REJECT_DUPLICATE',
      taskQueue: config.temporal.taskQueue,
      args: [(await openControl()).signStart(deliveryWorkflow, workflowId, delivery)],
      startDelay,
      staticSummary: `"${message.event}" to ${name}`,
    });
    return true;
  } catch (thrown) {
    // An earlier attempt may have started it. If not, only this activity's attempts remain: runs must not wait longer.
    return thrown instanceof WorkflowExecutionAlreadyStartedError;
  }
}

/** Remembers trouble, so that the route's next run can report recovery. A store that fails now costs only that. */
async function remember(store: Store, { about, event, route, runId }: Notice): Promise<string[]> {
  if (about === 'age') return [];
  const note: Trouble = { runId, event, at: timestamp() };
  try {
    if (troubles.includes(event)) await store.writeJson(keys.trouble(route), note);
    if (event === 'recovered') await store.remove(keys.trouble(route));
    return [];
  } catch (thrown) {
    const { plainMessage } = PortolanError.from(thrown);
    return [`Portolan will not know whether this route recovers: ${plainMessage}`];
  }
}

function warningOf({ event }: Notice, failed: NotNotified | undefined): string | null {
  if (failed === undefined) return null;
  const arrives = failed.again ? 'was not accepted and will be sent again' : 'was not sent';
  return `the notification "${event}" ${arrives}: ${failed.problem}`;
}

/** @param pauseMs until it is sent again. @default never */
function noteOf(
  { event, runId }: Notification,
  failed: NotNotified | undefined,
  attempts: number,
  pauseMs?: number,
): DeliveryNote {
  const now = activityTime();
  return {
    event,
    runId,
    attempts,
    at: new Date(now).toISOString(),
    status: failed === undefined ? 'delivered' : pauseMs === undefined ? 'failed' : 'open',
    nextAt: pauseMs === undefined ? undefined : new Date(now + pauseMs).toISOString(),
    problem: failed?.problem,
  };
}
