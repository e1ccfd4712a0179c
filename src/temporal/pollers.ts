import os from 'node:os';
import type { Connection } from '@temporalio/client';
import { tsToMs } from '@temporalio/common/lib/time';

/** A worker that waits asks again at least once a minute; who has not asked for longer is gone. */
const STALE_MS = 75_000;

const WORKFLOW_QUEUE = 1;
const ACTIVITY_QUEUE = 2;

export interface Poller {
  /** `pid@host` unless the worker was given another name. */
  readonly identity: string;
  readonly lastAccess: Date;
}

/**
 * Who takes work from the task queue. The server remembers a poller for minutes after its death: the ones that
 * have not asked lately, and those of this machine whose process is gone, are left out.
 */
export async function pollersOf(
  connection: Connection,
  namespace: string,
  taskQueue: string,
  kind: 'workflows' | 'activities' = 'workflows',
): Promise<Poller[]> {
  const { pollers } = await connection.workflowService.describeTaskQueue({
    namespace,
    taskQueue: { name: taskQueue },
    taskQueueType: kind === 'workflows' ? WORKFLOW_QUEUE : ACTIVITY_QUEUE,
  });
  return (pollers ?? [])
    .map(({ identity, lastAccessTime }) => ({
      identity: identity ?? '',
      lastAccess: new Date(lastAccessTime ? tsToMs(lastAccessTime) : 0),
    }))
    .filter((poller) => Date.now() - poller.lastAccess.getTime() < STALE_MS && !isDeadHere(poller.identity));
}

function isDeadHere(identity: string): boolean {
  const match = /^(\d+)@(.+)$/.exec(identity);
  if (match === null || match[2] !== os.hostname()) return false;
  try {
    process.kill(Number(match[1]), 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
}
