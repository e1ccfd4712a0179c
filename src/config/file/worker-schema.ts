import { z } from 'zod';
import { duration } from './plain-values';

const count = (least: number, most: number) =>
  z
    .number()
    .int('must be a whole number')
    .min(least, `must be at least ${least}`)
    .max(most, `must be at most ${most}`);
const part = z.number().gt(0, 'must be above 0').max(1, 'must be at most 1');

/** Temporal joins it to a build ID with a dot, or with a colon in visibility queries. */
const DEPLOYMENT_NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,39}$/;

/**
 * `temporal.worker` of portolan.yaml: how much one worker does at a time.
 * @see https://docs.temporal.io/develop/worker-performance
 */
export const workerTuning = z.strictObject({
  workflowTasks: count(2, 1_000).default(40).describe('workflow tasks at a time'),
  activities: count(1, 2_000).default(100).describe('activities at a time'),
  transfers: count(1, 64).default(4).describe('package transfers at a time'),
  resources: z
    .strictObject({
      memory: part.describe('take work only below this share of memory'),
      cpu: part.describe('likewise for CPU'),
    })
    .optional()
    .meta({
      unset: 'limits above only',
      description: 'takes tasks only while the machine uses no more than this',
    }),
  pollers: z
    .union([z.literal('autoscaling'), count(2, 100)], 'write autoscaling, or a number from 2 to 100')
    .default(10)
    .meta({
      form: 'number, or `autoscaling`',
      description: 'open polls per kind of task; `autoscaling` lets the server decide',
    }),
  cachedRuns: count(0, 100_000).optional().meta({
    unset: "by Node's memory limit",
    description: 'runs kept in memory; others are replayed from history',
  }),
  deployment: z.string().regex(DEPLOYMENT_NAME, 'has up to 40 letters, digits, - and _').optional().meta({
    unset: 'runs continue on any worker',
    description:
      'Worker Deployment name, one per task queue; pins runs to the worker version that started them',
  }),
  sticky: duration.prefault('2s').describe('how long a task waits for the worker that caches the run'),
});
