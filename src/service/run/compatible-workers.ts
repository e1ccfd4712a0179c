import { randomUUID } from 'node:crypto';
import type { WorkflowHandle } from '@temporalio/client';
import type { Config } from '../../config/config';
import { configMark } from '../../config/config-mark';
import { keyMarksOf, readEncryptionKeys } from '../../config/temporal/encryption-keys';
import { findPortal } from '../../config/resolve-route';
import { openControl } from '../../domain/control/control';
import { requireCompatible, requireSameStore, requireSharedKeys } from '../../domain/run/worker-view';
import {
  type AskWorker,
  type KeyMark,
  type WorkerView,
  workerViewWorkflow,
} from '../../model/run/worker-view';
import { openStore } from '../../store/open-store';
import { storeId } from '../../store/store';
import type { TemporalClient } from '../../temporal/connection';
import { type PollingWorker, requireWorkers } from '../../temporal/task-queue';

/** A running worker responds at once; one of another version may not know the query. */
const TELLS_WITHIN_MS = 10_000;

/** Context for asking workers. */
export interface WorkerSources {
  readonly config: Config;
  readonly temporal: TemporalClient;
}

/**
 * Names of the running workers, after checking that each uses the same store and can sign in to these portals.
 * Throws NO_WORKER, CONFIG_MISMATCH and SECRET_UNREADABLE, naming both sides.
 * @param portals names of those that are used
 */
export async function requireAbleWorkers(
  { config, temporal }: WorkerSources,
  portals: readonly string[],
): Promise<string[]> {
  const workers = await requireWorkers(temporal, config.temporal.taskQueue);
  await compareWorkers({ config, temporal }, portals, workers);
  return workers.map(({ name }) => name);
}

/**
 * Compares as `requireAbleWorkers` does; what a worker does not report is no difference.
 * @returns why no worker's view could be compared, if one differs from this machine
 */
export async function compareWorkers(
  { config, temporal }: WorkerSources,
  portals: readonly string[],
  workers: readonly PollingWorker[],
): Promise<string | undefined> {
  const marks = workers.flatMap(({ mark }) => mark ?? []);
  if (marks.length === 0) return undefined;
  const store = openStore(config);
  const own = { id: await storeId(store), where: store.where };
  const ownKeys = keyMarksOf(await readEncryptionKeys(config.temporal.encryption));
  for (const mark of marks) {
    requireSameStore(own, mark);
    requireSharedKeys(ownKeys, mark);
  }
  const here = configMark(config);
  if (marks.every((mark) => mark.config === here && mark.lacks === 0)) return undefined;
  const view = await askWorker({ config, temporal });
  if (!view) return 'a worker has another configuration or lacks a secret, and did not respond in time';
  requireCompatible(
    portals.map((name) => findPortal(config, name)),
    view,
  );
  return undefined;
}

/** A worker and what it reports, in one line. */
export const workerWords = ({ name, mark }: PollingWorker): string =>
  mark ? `${name}, version ${mark.version}, configuration ${mark.config}${keyWords(mark.keys)}` : name;

/** Its encryption keys, and which one encrypts. */
function keyWords(keys: readonly KeyMark[]): string {
  if (keys.length === 0) return '';
  const said = keys.map(({ id, writes }) => (writes ? `"${id}" (encrypts)` : `"${id}"`)).join(', ');
  return `, encryption keys ${said}`;
}

/** What a worker lacks and how to fix it, one line each. */
export const lackingWords = (view: WorkerView | undefined): string[] =>
  (view?.portals ?? []).flatMap(({ name, lacks }) =>
    lacks === undefined
      ? []
      : [
          `warning  runs cannot sign in to ${name}: ${lacks}`,
          `         Make it readable for this worker, which retries at each sign-in.`,
        ],
  );

/** The view of any worker; undefined if none responds. */
async function askWorker(asked: WorkerSources): Promise<WorkerView | undefined> {
  try {
    return (await (await startWorkerView(asked)).result()) as WorkerView;
  } catch {
    return undefined;
  }
}

/** Asks any worker for its view. The workflow for it ends by itself within ten seconds. */
export async function startWorkerView({
  config,
  temporal: { client },
}: WorkerSources): Promise<WorkflowHandle> {
  const workflowId = `${workerViewWorkflow}-${randomUUID()}`;
  const asked: AskWorker = (await openControl(config)).signStart(workerViewWorkflow, workflowId, {});
  return await client.workflow.start(workerViewWorkflow, {
    workflowId,
    taskQueue: config.temporal.taskQueue,
    args: [asked],
    workflowExecutionTimeout: TELLS_WITHIN_MS,
  });
}
