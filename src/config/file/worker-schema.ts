import { z } from 'zod';
import { duration } from './plain-values';

const count = (least: number, most: number) =>
  z
    .number()
    .int('must be a whole number')
    .min(least, `must be at least ${least}`)
    .max(most, `must be at most ${most}`);
const part = z.number().gt(0, 'must be above 0').max(1, 'must be at most 1');

/** Temporal joins it to a build's id with a dot, or with a colon where runs are looked for. */
const DEPLOYMENT_NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,39}$/;

/**
 * `temporal.worker` of portolan.yaml: how much one worker does at a time.
 * @see https://docs.temporal.io/develop/worker-performance
 */
export const workerTuning = z.strictObject({
  workflowTasks: count(2, 1_000).default(40).describe('steps of runs that a worker takes at a time'),
  activities: count(1, 2_000)
    .default(100)
    .describe('activities at a time, such as portal calls and store reads'),
  transfers: count(1, 64)
    .default(4)
    .describe('packages that travel at a time; they are bound by disk and network'),
  resources: z
    .strictObject({
      memory: part.describe("part of the machine's memory, or of its container's"),
      cpu: part.describe('part of its processors'),
    })
    .optional()
    .meta({
      unset: 'as many as above',
      description:
        'takes steps and calls only while the machine uses no more than this; the numbers above are the most then',
    }),
  pollers: z
    .union([z.literal('autoscaling'), count(2, 100)], 'write autoscaling, or a number from 2 to 100')
    .default(10)
    .meta({
      form: 'number, or `autoscaling`',
      description:
        'requests for work of each kind that are open at a time; `autoscaling` has the server say how many',
    }),
  cachedRuns: count(0, 100_000).optional().meta({
    unset: 'by the memory that Node may have',
    description: 'runs whose state stays in memory; others are replayed from their history',
  }),
  deployment: z.string().regex(DEPLOYMENT_NAME, 'has up to 40 letters, digits, - and _').optional().meta({
    unset: 'a run goes on with whichever worker there is',
    description:
      'name of a Worker Deployment: a run keeps to the build of workflow code that began it, and `portolan deploy` says which build begins new ones; one name for each task queue',
  }),
  sticky: duration
    .prefault('2s')
    .describe('how long a step waits for the worker that has the run in memory, before any takes it'),
});
