import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { bundleWorkflows } from '../../src/temporal/workflow-bundle';
import { connectTemporal } from '../../src/temporal/connection';
import { Child } from '../child';
import type { BareWorker } from './bare-worker';
import { type Events, eventsOf } from './events';

/** Starts as many bare workflows at once. @param config whose worker's settings are taken, and the server */
export async function runBare(
  folder: string,
  {
    config,
    address,
    workflows,
    activities,
    locals,
  }: {
    readonly config: string;
    readonly address: string;
    readonly workflows: number;
    /** Of each workflow. */
    readonly activities: number;
    readonly locals: number;
  },
): Promise<Events> {
  const taskQueue = `bare-${Date.now()}`;
  const bundlePath = path.join(folder, 'bare-bundle.js');
  await writeFile(bundlePath, await bundleWorkflows(require.resolve('./bare-workflow')));
  const worker = new Child<BareWorker>('scale/bare-worker');
  const temporal = await connectTemporal({ address }, 'default');
  try {
    await worker.call('start', { config, taskQueue, bundlePath });
    const { workflow } = temporal.client;
    await Promise.all(
      Array.from({ length: workflows }, (_, at) =>
        workflow.start('bare', {
          taskQueue,
          workflowId: `${taskQueue}-${at}`,
          args: [activities, locals],
        }),
      ).map(async (handle) => await (await handle).result()),
    );
    const events = await eventsOf(temporal, taskQueue);
    await worker.call('stop', undefined);
    return events;
  } finally {
    await temporal.connection.close();
    await worker.end();
  }
}
