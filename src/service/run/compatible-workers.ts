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
import { storeId } from '../../store/store-id';
import type { TemporalClient } from '../../temporal/session';
import { type PollingWorker, requireWorkers } from '../../temporal/task-queue';

/** A worker that is there tells its view in a moment; one of another version may not know the question. */
const TELLS_WITHIN_MS = 10_000;

/** Where workers are asked, and by which configuration. */
export interface Asked {
  readonly config: Config;
  readonly temporal: TemporalClient;
}

/**
 * Names of the workers that are there, each of which keeps its records where this configuration does, and can sign in
 * to these portals. Throws NO_WORKER, CONFIG_MISMATCH and SECRET_UNREADABLE, with both sides.
 * @param portals names of those that are used
 */
export async function requireAbleWorkers(
  { config, temporal }: Asked,
  portals: readonly string[],
): Promise<string[]> {
  const workers = await requireWorkers(temporal, config.temporal.taskQueue);
  await compareWorkers({ config, temporal }, portals, workers);
  return workers.map(({ name }) => name);
}

/** Compares as `requireAbleWorkers` does; what a worker does not tell is no difference. */
export async function compareWorkers(
  { config, temporal }: Asked,
  portals: readonly string[],
  workers: readonly PollingWorker[],
): Promise<void> {
  const marks = workers.flatMap(({ mark }) => mark ?? []);
  if (marks.length === 0) return;
  const store = openStore(config);
  const own = { id: await storeId(store), where: store.where };
  const ownKeys = keyMarksOf(await readEncryptionKeys(config.temporal.encryption));
  for (const mark of marks) {
    requireSameStore(own, mark);
    requireSharedKeys(ownKeys, mark);
  }
  const here = configMark(config);
  if (marks.every((mark) => mark.config === here && mark.lacks === 0)) return;
  const view = await askWorker({ config, temporal });
  if (view)
    requireCompatible(
      portals.map((name) => findPortal(config, name)),
      view,
    );
}

/** A worker and what it tells of itself, in one line. */
export const workerWords = ({ name, mark }: PollingWorker): string =>
  mark ? `${name}, version ${mark.version}, configuration ${mark.config}${keyWords(mark.keys)}` : name;

/** Which keys it has for payloads, and with which it encrypts. */
function keyWords(keys: readonly KeyMark[]): string {
  if (keys.length === 0) return '';
  const said = keys.map(({ id, writes }) => (writes ? `"${id}" (encrypts)` : `"${id}"`)).join(', ');
  return `, encryption keys ${said}`;
}

/** What a worker lacks, a line each, and what to do about it. */
export const lackingWords = (view: WorkerView | undefined): string[] =>
  (view?.portals ?? []).flatMap(({ name, lacks }) =>
    lacks === undefined
      ? []
      : [
          `warning  runs cannot sign in to ${name}: ${lacks}`,
          `         Make it readable for this worker, which retries at each sign-in.`,
        ],
  );

/** What whichever worker takes the question can do; undefined where none answers it. */
async function askWorker(asked: Asked): Promise<WorkerView | undefined> {
  try {
    return (await (await startWorkerView(asked)).result()) as WorkerView;
  } catch {
    return undefined;
  }
}

/** Asks whichever worker takes the question what it can do. The workflow of it ends by itself within ten seconds. */
export async function startWorkerView({ config, temporal: { client } }: Asked): Promise<WorkflowHandle> {
  const workflowId = `${workerViewWorkflow}-${randomUUID()}`;
  const asked: AskWorker = (await openControl(config)).signStart(workerViewWorkflow, workflowId, {});
  return await client.workflow.start(workerViewWorkflow, {
    ...{ workflowId, taskQueue: config.temporal.taskQueue, args: [asked] },
    workflowExecutionTimeout: TELLS_WITHIN_MS,
  });
}
