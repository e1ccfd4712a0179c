import type { WorkflowExecutionDescription } from '@temporalio/client';
import { defaultPayloadConverter } from '@temporalio/common';
import { tsToMs } from '@temporalio/common/lib/time';
import type { PendingActivity } from './render/progress';

type RawPending = NonNullable<WorkflowExecutionDescription['raw']['pendingActivities']>[number];

/** Activities that are under way or wait for their next attempt; known without any worker. */
export const pendingActivitiesOf = (description: WorkflowExecutionDescription): PendingActivity[] =>
  (description.raw.pendingActivities ?? []).map((raw) => ({
    type: raw.activityType?.name ?? '?',
    attempt: raw.attempt ?? 1,
    details: heartbeatOf(raw),
    lastFailure: raw.lastFailure?.message ?? undefined,
    scheduledAt: raw.scheduledTime ? tsToMs(raw.scheduledTime) : undefined,
    nextAttemptAt: waitsUntil(raw),
  }));

function heartbeatOf(raw: RawPending): unknown {
  const [payload] = raw.heartbeatDetails?.payloads ?? [];
  if (payload == null) return undefined;
  try {
    return defaultPayloadConverter.fromPayload(payload);
  } catch {
    return undefined;
  }
}

const waitsUntil = (raw: RawPending): number | undefined => {
  const at = raw.nextAttemptScheduleTime ? tsToMs(raw.nextAttemptScheduleTime) : undefined;
  return at !== undefined && at > Date.now() ? at : undefined;
};
