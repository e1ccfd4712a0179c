import { PortalPool } from '../../config/portal-pool';
import type { Config } from '../../config/config';
import { resolveRoute, taskAddress } from '../../config/resolve-route';
import { Policy } from '../../domain/policy/policy';
import { PortolanError } from '../../model/errors/errors';
import type { TaskAddress } from '../../model/portal-change/task-run';
import { newestTaskRun, updateTaskRun } from '../../portal/resources/tasks';
import { type BackupRequest, routeToBackUp } from './backup';
import type { Log } from './prepared-run';
import type { RestoreRequest } from './restore';
import { sourceAndTarget, type SyncRequest } from './sync';

/** Time limit for reporting a failed start to the portal task. @format milliseconds */
const NOTIFY_WITHIN_MS = 15_000;

/** A start that may report to a portal task. */
export type BoundStart =
  | { readonly what: 'sync'; readonly request: SyncRequest }
  | { readonly what: 'backup'; readonly request: BackupRequest }
  | { readonly what: 'restore'; readonly request: RestoreRequest };

/** The task a run would report to. Throws as the start does for unknown names. */
export function taskOf(config: Config, { what, request }: BoundStart): TaskAddress | undefined {
  switch (what) {
    case 'sync':
      return resolveRoute(config, sourceAndTarget(request), request).options.taskRun;
    case 'backup':
      return routeToBackUp(config, request).options.taskRun;
    case 'restore':
      return request.taskRun && taskAddress(config, request.taskRun);
  }
}

/**
 * Starts a run that reports to a portal task. If it cannot be started, no run will report, so this sets
 * `submitfailed` with the reason.
 * @param work is given what marks the start itself, after which the run notifies
 */
export async function notifyingFailedStart<T>(
  config: Config,
  start: BoundStart,
  say: Log,
  work: (onPrepared: () => void) => Promise<T>,
): Promise<T> {
  const task = taskOf(config, start);
  let hasBegun = false;
  try {
    return await work(() => (hasBegun = true));
  } catch (thrown) {
    if (task && !hasBegun) await notifyTask(config, task, PortolanError.from(thrown), say);
    throw thrown;
  }
}

async function notifyTask(config: Config, task: TaskAddress, reason: PortolanError, say: Log): Promise<void> {
  const portals = new PortalPool(config);
  const named = `task ${task.taskId} of ${task.username} on ${task.portal}`;
  try {
    const portal = portals.open(task.portal);
    await new Policy(config).require({ writer: 'task-run', target: task });
    const options = { signal: AbortSignal.timeout(NOTIFY_WITHIN_MS) };
    const { runId } = await newestTaskRun(
      portal,
      { ...task, by: { runIds: [], dueAt: Date.now() } },
      options,
    );
    const { username, taskId } = task;
    const result = `not started, ${reason.code}: ${reason.plainMessage}`.slice(0, 400);
    await updateTaskRun(portal, { username, taskId, runId, status: 'submitfailed', result }, options);
    say(`note  ${named} is now submitfailed`);
  } catch (thrown) {
    const { plainMessage } = PortolanError.from(thrown);
    say(`warning  ${named} could not be updated: ${plainMessage}`);
  } finally {
    await portals.close();
  }
}
