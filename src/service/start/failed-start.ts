import type { OperationId } from '../../contract/contract';
import type { StartInput } from '../../contract/starts';
import { PortalPool } from '../../config/portal-pool';
import type { Config } from '../../config/config';
import { resolveRoute, taskAddress } from '../../config/resolve-route';
import { Policy } from '../../domain/policy/policy';
import { PortolanError } from '../../model/errors/errors';
import type { TaskAddress } from '../../model/portal-change/task-run';
import { newestTaskRun, updateTaskRun } from '../../portal/resources/tasks';
import type { Caller } from '../may';
import { routeToBackUp } from './backup';
import type { Starting } from './prepared-run';
import { sourceAndTarget } from './sync';

/** Time limit for reporting a failed start to the portal task. @format milliseconds */
const NOTIFY_WITHIN_MS = 15_000;

/** The task a run would report to. Throws as the start does for unknown names. */
function taskOf(config: Config, id: OperationId, input: object): TaskAddress | undefined {
  switch (id) {
    case 'startSync': {
      const asked = input as StartInput<'startSync'>;
      return resolveRoute(config, sourceAndTarget(asked), asked).options.taskRun;
    }
    case 'startBackup':
      return routeToBackUp(config, input).options.taskRun;
    case 'startRestore': {
      const { taskRun } = input as StartInput<'startRestore'>;
      return taskRun && taskAddress(config, taskRun);
    }
    default:
      return undefined;
  }
}

/** What may start a run. */
interface Start {
  readonly id: OperationId;
  readonly input: object;
  readonly caller: Caller;
  readonly say: Starting['say'];
}

/**
 * Does what may start a run that reports to a portal task. If it cannot be started, no run will report, so this sets
 * `submitfailed` with the reason.
 * @param work is given what marks the start itself, after which the run notifies
 */
export async function notifyingFailedStart<T>(
  config: Config,
  { id, input, caller, say }: Start,
  work: (begins?: () => void) => Promise<T>,
): Promise<T> {
  // Only a caller who may start any run of the task reports to it.
  const task = caller.routes === undefined ? taskOf(config, id, input) : undefined;
  let hasBegun = false;
  try {
    return await work(() => (hasBegun = true));
  } catch (thrown) {
    // A caller without the right to start it changes nothing on a portal.
    const isRefused = PortolanError.is(thrown, 'RIGHT_MISSING');
    if (task && !hasBegun && !isRefused) await notifyTask(config, task, PortolanError.from(thrown), say);
    throw thrown;
  }
}

async function notifyTask(
  config: Config,
  task: TaskAddress,
  reason: PortolanError,
  say: Starting['say'],
): Promise<void> {
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
    say?.(`note  ${named} is now submitfailed`);
  } catch (thrown) {
    const { plainMessage } = PortolanError.from(thrown);
    say?.(`warning  ${named} could not be updated: ${plainMessage}`);
  } finally {
    await portals.close();
  }
}
