import path from 'node:path';
import pino from 'pino';
import type { Config } from '../../src/config/config';
import type { RunningWorker } from '../../src/temporal/worker';
import { createWorkerLog } from '../../src/temporal/worker-log';
import { runWorker } from '../../src/worker';
import { inOneThread } from './one-thread';
import { workflowBundlePath } from './temporal';

export interface TestWorkerOptions {
  /** @default 'info' */
  readonly level?: 'info' | 'trace';
  /** @default the workflows as they are */
  readonly bundlePath?: string;
  /** By which windows of portals open. @default the machine's */
  readonly clock?: () => number;
}

/** Starts a worker in this process, which takes a tenth of the work of one of its own; its log is `logs/worker.log` in a folder. */
export async function startTestWorker(
  config: Config,
  folder: string,
  { level = 'info', bundlePath = workflowBundlePath(), clock }: TestWorkerOptions = {},
): Promise<RunningWorker> {
  const dest = path.join(folder, 'logs', 'worker.log');
  const logger = createWorkerLog({ level, destination: pino.destination({ dest, mkdir: true, sync: true }) });
  return await inOneThread(() => runWorker(config, { bundlePath, logger, clock }));
}
