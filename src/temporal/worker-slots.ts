import type { ResourceBasedSlotOptions, WorkerOptions } from '@temporalio/worker';
import type { TemporalConfig } from '../config/config';

type Tuning = TemporalConfig['worker'];

/** Slots always available, so that no kind of work starves. */
const LEAST = 2;
/** Initial and maximum number if the server decides. */
const POLLERS_FIRST = 5;
const POLLERS_MAX = 100;

/** Slots, pollers and cache of the worker for calls. */
export function callSlots(tuning: Tuning): Partial<WorkerOptions> {
  const { workflowTasks, activities, resources, cachedRuns } = tuning;
  return {
    workflowTaskPollerBehavior: pollersFor(workflowTasks, tuning),
    activityTaskPollerBehavior: pollersFor(activities, tuning),
    maxCachedWorkflows: cachedRuns,
    stickyQueueScheduleToStartTimeout: tuning.stickyMs,
    ...(resources
      ? {
          tuner: {
            tunerOptions: { targetMemoryUsage: resources.memory, targetCpuUsage: resources.cpu },
            workflowTaskSlotOptions: upTo(workflowTasks),
            activityTaskSlotOptions: upTo(activities),
            localActivityTaskSlotOptions: upTo(activities),
          },
        }
      : {
          maxConcurrentWorkflowTaskExecutions: workflowTasks,
          maxConcurrentActivityTaskExecutions: activities,
          maxConcurrentLocalActivityExecutions: activities,
        }),
  };
}

/** The same of the worker for files: disk and network bind it, which no controller of memory and processors sees. */
export const transferSlots = (tuning: Tuning): Partial<WorkerOptions> => ({
  activityTaskPollerBehavior: pollersFor(tuning.transfers, tuning),
  maxConcurrentActivityTaskExecutions: tuning.transfers,
});

/** No pause between slots: it would delay every activity. */
const upTo = (most: number): ResourceBasedSlotOptions => ({
  minimumSlots: Math.min(LEAST, most),
  maximumSlots: most,
  rampThrottle: 0,
});

/** Never more pollers than slots. */
const pollersFor = (slots: number, { pollers }: Tuning): WorkerOptions['activityTaskPollerBehavior'] =>
  pollers === 'autoscaling'
    ? { type: 'autoscaling', initial: Math.min(POLLERS_FIRST, slots), maximum: Math.min(POLLERS_MAX, slots) }
    : { type: 'simple-maximum', maximum: Math.min(pollers, slots) };
