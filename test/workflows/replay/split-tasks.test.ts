import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { historyFromJSON, historyToJSON } from '@temporalio/common/lib/proto-utils';
import { Worker } from '@temporalio/worker';
import { transportItems } from '../../../src/simulator/seed/transport';
import { inOneThread } from '../../support/one-thread';
import { Site } from '../../support/site';
import { workflowBundlePath } from '../../support/temporal';

type Attributes = Record<string, unknown>;
interface Event {
  eventId: string;
  eventType: string;
  eventTime: unknown;
  [attributes: string]: unknown;
}

const attributesOf = (event: Event) =>
  (Object.entries(event).find(([key]) => key.endsWith('EventAttributes'))?.[1] as Attributes) ?? {};

const isLocalActivity = (event: Event) => attributesOf(event)['markerName'] === 'core_local_activity';

/**
 * The same history, with the end of a workflow task behind each local activity, as after a query at that moment. The
 * next task handles the result.
 */
function splitBehindLocalActivities(given: readonly Event[]): Event[] {
  const split: Event[] = [];
  /** New IDs of events. */
  const ids = new Map<string, string>();
  /** By the earlier ID of a task's end: the ID of the end that following events refer to. */
  const ends = new Map<string, string>();
  const add = (event: Omit<Event, 'eventId'>) => {
    const eventId = String(split.length + 1);
    split.push({ ...event, eventId } as Event);
    return eventId;
  };
  for (const event of given) {
    const { eventId, eventTime } = event;
    const [key = '', attributes = {}] =
      Object.entries(event).find(([name]) => name.endsWith('EventAttributes')) ?? [];
    const moved = Object.fromEntries(
      Object.entries(attributes as Attributes).map(([name, value]) => {
        if (!name.endsWith('EventId')) return [name, value];
        const was = String(value);
        const isEnd = name === 'workflowTaskCompletedEventId';
        return [name, (isEnd ? ends.get(was) : undefined) ?? ids.get(was) ?? was];
      }),
    );
    ids.set(eventId, add({ ...event, [key]: moved }));
    if (!isLocalActivity(event)) continue;
    const scheduled = add({
      eventTime,
      eventType: 'EVENT_TYPE_WORKFLOW_TASK_SCHEDULED',
      workflowTaskScheduledEventAttributes: { taskQueue: { name: 'split' }, attempt: 1 },
    });
    const started = add({
      eventTime,
      eventType: 'EVENT_TYPE_WORKFLOW_TASK_STARTED',
      workflowTaskStartedEventAttributes: { scheduledEventId: scheduled },
    });
    const completed = add({
      eventTime,
      eventType: 'EVENT_TYPE_WORKFLOW_TASK_COMPLETED',
      workflowTaskCompletedEventAttributes: { scheduledEventId: scheduled, startedEventId: started },
    });
    ends.set(String(attributesOf(event)['workflowTaskCompletedEventId']), completed);
  }
  return split;
}

let site: Site;
beforeAll(async () => {
  site = await Site.open();
});
afterAll(() => site.close());

describe('run of this version', () => {
  it('replays if a task has ended behind any of its local activities', async () => {
    const { handle, record } = await site.sync(site.route({ items: [transportItems.pdf] }));
    expect(record.status).toBe('succeeded');
    const { events } = JSON.parse(historyToJSON(await handle.fetchHistory())) as { events: Event[] };
    const split = splitBehindLocalActivities(events);
    expect(split.length).toBeGreaterThan(events.length + 3 * 10);
    const workflowBundle = { codePath: workflowBundlePath() };
    const replayed = inOneThread(() =>
      Worker.runReplayHistory({ workflowBundle }, historyFromJSON({ events: split }), handle.workflowId),
    );
    await expect(replayed).resolves.toBeUndefined();
  });
});
