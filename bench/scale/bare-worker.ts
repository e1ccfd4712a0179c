import { loadConfig } from '../../src/config/load-config';
import { temporalConnection } from '../../src/config/temporal/temporal-connection';
import { setHeapGrowth, type RunningWorker, startWorker } from '../../src/temporal/worker';
import { serve } from '../child';

const activities = { nothing: (): Promise<void> => Promise.resolve() };
export type BareActivities = typeof activities;

let worker: RunningWorker | undefined;

/** A worker with the settings of one of ours, whose activities do nothing. */
const methods = {
  start: async ({
    config,
    taskQueue,
    bundlePath,
  }: {
    readonly config: string;
    readonly taskQueue: string;
    readonly bundlePath: string;
  }): Promise<void> => {
    setHeapGrowth();
    const { temporal } = loadConfig(config);
    worker = await startWorker({
      connection: temporalConnection(temporal),
      namespace: temporal.namespace,
      identity: `${process.pid}@bare`,
      tuning: temporal.worker,
      taskQueue,
      activities,
      bundlePath,
    });
  },
  stop: async (): Promise<void> => worker?.stop(),
};
export type BareWorker = typeof methods;

serve(methods);
