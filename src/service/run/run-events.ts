import { defaultPayloadConverter } from '@temporalio/common';
import type { RunEvent } from '../../contract/runs';
import { isNotFound, type TemporalClient } from '../../temporal/connection';
import { ClearWords } from '../../temporal/encryption/decrypt-history';
import { PortolanError } from '../../model/errors/errors';
import { messageNames } from '../../model/run/run-input';
import { lookAt } from './next-commands';
import { durationWords } from '../../model/text/words';

type History = Awaited<
  ReturnType<ReturnType<TemporalClient['client']['workflow']['getHandle']>['fetchHistory']>
>;
type HistoryEvent = NonNullable<History['events']>[number];
type Failure = NonNullable<NonNullable<HistoryEvent['activityTaskFailedEventAttributes']>['failure']>;

/** Events of a run in order; needs no worker. Throws `NOT_FOUND` if Temporal no longer has the run. */
export async function readRunEvents({ client }: TemporalClient, runId: string): Promise<RunEvent[]> {
  try {
    const { events } = await client.workflow.getHandle(runId).fetchHistory();
    const words = new ClearWords(client);
    return eventsOf(await Promise.all((events ?? []).map((event) => inClear(event, words))));
  } catch (thrown) {
    if (!isNotFound(thrown)) throw thrown;
    throw new PortolanError('NOT_FOUND', `Temporal no longer has ${runId}, so its steps are not available.`, {
      hint: lookAt(runId),
    });
  }
}

/** An event with its payloads decoded. Rejects with ENCRYPTION_KEY_MISSING and PAYLOAD_ALTERED. */
async function inClear(event: HistoryEvent, words: ClearWords): Promise<HistoryEvent> {
  const {
    activityTaskStartedEventAttributes: started,
    activityTaskFailedEventAttributes: failed,
    activityTaskTimedOutEventAttributes: timedOut,
    workflowTaskFailedEventAttributes: taskFailed,
    workflowExecutionFailedEventAttributes: end,
    userMetadata,
  } = event;
  const withFailure = async <T extends { failure?: Failure | null }>(told: T): Promise<T> => ({
    ...told,
    failure: await words.failure(told.failure),
  });
  const summary = await words.decoded(userMetadata?.summary);
  return {
    ...event,
    ...(summary && { userMetadata: { ...userMetadata, summary } }),
    ...(started && {
      activityTaskStartedEventAttributes: {
        ...started,
        lastFailure: await words.failure(started.lastFailure),
      },
    }),
    ...(failed && { activityTaskFailedEventAttributes: await withFailure(failed) }),
    ...(timedOut && { activityTaskTimedOutEventAttributes: await withFailure(timedOut) }),
    ...(taskFailed && { workflowTaskFailedEventAttributes: await withFailure(taskFailed) }),
    ...(end && { workflowExecutionFailedEventAttributes: await withFailure(end) }),
  };
}

/** Formats events as far as they are decoded. */
export const eventsOf = (events: readonly HistoryEvent[]): RunEvent[] => new Telling().of(events);

/** Started activities and timers, by event ID. */
interface Begun {
  readonly subject: string;
  readonly at: number;
  attempt: number;
}

class Telling {
  private readonly begun = new Map<string, Begun>();

  of(events: readonly HistoryEvent[]): RunEvent[] {
    return events.flatMap((event) => {
      const at = event.eventTime ? msOf(event.eventTime) : 0;
      return this.tell(event, at).map((told) => ({ at: new Date(at).toISOString(), ...told }));
    });
  }

  private tell(event: HistoryEvent, at: number): Omit<RunEvent, 'at'>[] {
    const run = (kind: RunEvent['kind'], what: string): Omit<RunEvent, 'at'>[] => [
      { kind, subject: 'run', what },
    ];
    const {
      activityTaskScheduledEventAttributes: scheduled,
      activityTaskStartedEventAttributes: started,
      activityTaskCompletedEventAttributes: completed,
      activityTaskFailedEventAttributes: failed,
      activityTaskTimedOutEventAttributes: timedOut,
      activityTaskCanceledEventAttributes: cancelled,
      timerStartedEventAttributes: timer,
      timerFiredEventAttributes: fired,
      workflowExecutionSignaledEventAttributes: signal,
      workflowExecutionUpdateAcceptedEventAttributes: update,
      workflowTaskFailedEventAttributes: taskFailed,
      startChildWorkflowExecutionInitiatedEventAttributes: child,
    } = event;
    if (scheduled) {
      const name = scheduled.activityType?.name ?? '?';
      const summary = summaryOf(event);
      this.begin(event.eventId, summary === undefined ? name : `${name} (${summary})`, at);
      return [];
    }
    if (started) {
      const of = this.begun.get(String(started.scheduledEventId));
      if (of) of.attempt = started.attempt ?? 1;
      return of && of.attempt > 1
        ? [
            {
              kind: isBenign(started.lastFailure) ? 'step' : 'problem',
              subject: of.subject,
              what: `attempt ${of.attempt}, after: ${wordsOf(started.lastFailure)}`,
            },
          ]
        : [];
    }
    if (completed) return this.ended(completed.scheduledEventId, at, 'step', 'done');
    if (failed)
      return this.ended(failed.scheduledEventId, at, 'problem', `failed: ${wordsOf(failed.failure)}`);
    if (timedOut)
      return this.ended(timedOut.scheduledEventId, at, 'problem', `timed out: ${wordsOf(timedOut.failure)}`);
    if (cancelled) return this.ended(cancelled.scheduledEventId, at, 'step', 'cancelled');
    if (timer) {
      const ms = timer.startToFireTimeout ? msOf(timer.startToFireTimeout) : 0;
      this.begin(event.eventId, summaryOf(event) ?? 'timer', at);
      return [
        { kind: 'step', subject: summaryOf(event) ?? 'timer', what: `waits for up to ${durationWords(ms)}` },
      ];
    }
    if (fired) return this.ended(fired.startedEventId, at, 'step', 'timer fired');
    if (signal) return run('message', signalText(signal.signalName ?? '?'));
    if (update) return run('message', `${update.acceptedRequest?.input?.name ?? '?'} accepted`);
    if (child) return run('step', `starts ${child.workflowId ?? '?'}`);
    if (taskFailed) return run('problem', `workflow task failed: ${wordsOf(taskFailed.failure)}`);
    if (event.workflowExecutionStartedEventAttributes) return run('step', 'started');
    if (event.workflowExecutionContinuedAsNewEventAttributes)
      return run('step', 'continued as a new execution');
    if (event.workflowExecutionCancelRequestedEventAttributes)
      return run('message', 'cancellation requested');
    if (event.workflowExecutionCompletedEventAttributes) return run('end', 'ended');
    if (event.workflowExecutionTerminatedEventAttributes) return run('end', 'terminated');
    if (event.workflowExecutionTimedOutEventAttributes) return run('end', 'timed out');
    if (event.workflowExecutionCanceledEventAttributes) return run('end', 'cancelled');
    const end = event.workflowExecutionFailedEventAttributes;
    return end ? run('end', `failed: ${wordsOf(end.failure)}`) : [];
  }

  private begin(eventId: unknown, subject: string, at: number): void {
    this.begun.set(String(eventId), { subject, at, attempt: 1 });
  }

  private ended(eventId: unknown, at: number, kind: RunEvent['kind'], what: string): Omit<RunEvent, 'at'>[] {
    const of = this.begun.get(String(eventId));
    if (of === undefined) return [];
    const tries = of.attempt > 1 ? `, ${of.attempt} attempts` : '';
    return [{ kind, subject: of.subject, what: `${what}  ${durationWords(at - of.at)}${tries}` }];
  }
}

/** A time or duration; protobuf seconds may be Long values. @format milliseconds */
const msOf = ({ seconds, nanos }: { seconds?: unknown; nanos?: number | null }): number =>
  Number(String(seconds ?? 0)) * 1_000 + Math.floor((nanos ?? 0) / 1e6);

/** A poll that finds the job still running is not a problem. */
const isBenign = (failure: Failure | null | undefined): boolean =>
  Number(failure?.applicationFailureInfo?.category ?? 0) === BENIGN;
/** `APPLICATION_ERROR_CATEGORY_BENIGN` on the wire. */
const BENIGN = 1;

const signalTexts: Readonly<Record<string, string>> = {
  [messageNames.granted]: 'a portal queue gave it a slot',
  [messageNames.slotReleased]: 'an operator freed its slot',
  [messageNames.supersede]: 'superseded by a later run',
};
const signalText = (name: string): string => signalTexts[name] ?? `${name} arrived`;

/** A failure with its causes. */
function wordsOf(failure: Failure | null | undefined): string {
  const words: string[] = [];
  for (let each = failure; each; each = each.cause) if (each.message) words.push(each.message);
  return [...new Set(words)].join(' <- ') || 'no reason given';
}

/** The summary that the workflow wrote. */
function summaryOf({ userMetadata }: HistoryEvent): string | undefined {
  if (!userMetadata?.summary) return undefined;
  try {
    const summary: unknown = defaultPayloadConverter.fromPayload(userMetadata.summary);
    return typeof summary === 'string' ? summary : undefined;
  } catch {
    return undefined;
  }
}
