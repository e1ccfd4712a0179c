import { z } from 'zod';
import { runEvent, runView } from '../../contract/runs';
import { runRecord } from '../../model/run/run';
import { plan } from '../../model/transfer/plan';
import { seenWorker } from '../run/workers/seen-worker-view';

/** Format version of bundles. */
export const BUNDLE_FORMAT = 1;

/** Maximum rows of a plan in a bundle. */
export const ROWS_MAX = 50_000;

const loose = z.record(z.string(), z.unknown());

/** Everything known about a run in one file, for a person without access to its Temporal and store. */
export const runBundle = z.object({
  portolanBundle: z.literal(BUNDLE_FORMAT),
  /** What it contains, what was removed and what is missing, one line each, for people. */
  inside: z.array(z.string()),
  run: z.string(),
  /** ISO 8601, in UTC. */
  madeAt: z.iso.datetime(),
  versions: z.object({
    portolan: z.string(),
    node: z.string(),
    platform: z.string(),
    /** Version of the Temporal server, if it responded. */
    temporal: z.string().optional(),
    /** Mark of the configuration by which the bundle was made, to be compared with those of workers. */
    config: z.string(),
    workers: z.array(seenWorker),
  }),
  /** Everything that `run show` shows. */
  view: runView,
  plan: plan.refine(({ rows }) => rows.length <= ROWS_MAX).optional(),
  /** Records of its child runs, in order. */
  parts: z.array(runRecord),
  /** Its state files, by key. */
  notes: loose,
  config: loose,
  /** Events, as in `run logs`. */
  events: z.array(runEvent),
  /** Log lines that name the run or a child run. */
  workerLog: z.array(z.string()),
  /** The last execution's history, decoded. */
  history: z.array(loose),
});
export type RunBundle = Readonly<z.infer<typeof runBundle>>;
