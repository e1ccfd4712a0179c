import { z } from 'zod';
import { runRecord } from '../../model/run/run';
import { plan } from '../../model/transfer/plan';
import { runEvent } from '../run/run-event-view';
import { runView } from '../run/run-view';
import { seenWorker } from '../run/workers/seen-worker-view';

/** What a bundle looks like; another number is another shape. */
export const BUNDLE_FORMAT = 1;

/** A plan of more rows is no longer one to be sent. */
export const ROWS_MAX = 50_000;

const loose = z.record(z.string(), z.unknown());

/** All that was known of a run, in one file: for somebody who has neither its Temporal nor its store. */
export const runBundle = z.object({
  portolanBundle: z.literal(BUNDLE_FORMAT),
  /** What is in it, what was taken out of it, and what is missing, a line each for people. */
  inside: z.array(z.string()),
  run: z.string(),
  /** ISO 8601, in UTC. */
  madeAt: z.iso.datetime(),
  versions: z.object({
    portolan: z.string(),
    node: z.string(),
    platform: z.string(),
    /** Of the Temporal server, where it answered. */
    temporal: z.string().optional(),
    /** Mark of the configuration by which the bundle was made, to be compared with those of workers. */
    config: z.string(),
    workers: z.array(seenWorker),
  }),
  /** Everything that `run show` shows. */
  view: runView,
  plan: plan.refine(({ rows }) => rows.length <= ROWS_MAX).optional(),
  /** Records of the runs of its parts, in their order. */
  parts: z.array(runRecord),
  /** Notes of the store about it, by their keys. */
  notes: loose,
  config: loose,
  /** What `run logs` tells. */
  events: z.array(runEvent),
  /** Lines of the worker's log that name the run or a part of it. */
  workerLog: z.array(z.string()),
  /** The last execution's history, decoded. */
  history: z.array(loose),
});
export type RunBundle = Readonly<z.infer<typeof runBundle>>;
