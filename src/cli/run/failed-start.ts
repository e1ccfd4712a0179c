import { PortalPool } from '../../config/portal-pool';
import type { Config } from '../../config/config';
import { Policy } from '../../domain/policy/policy';
import { PortolanError } from '../../model/errors/errors';
import type { TaskAddress } from '../../model/portal-change/task-run';
import { newestTaskRun } from '../../portal/resources/newest-task-run';
import { updateTaskRun } from '../../portal/resources/tasks';
import type { PreparedRun } from '../../service/start/prepared-run';
import type { Output } from '../terminal/output';

/** The portal's task hears of a run that never began for so long at most. @format milliseconds */
const NOTIFY_WITHIN_MS = 15_000;

/**
 * Starts something that is bound to a portal's task. Where it cannot be started, no run will ever notify the
 * task, so this command does: `submitfailed`, with the reason. `starting` marks the start itself, after which the run does.
 */
export async function notifyingFailedStart<T>(
  config: Config,
  task: TaskAddress | undefined,
  output: Output,
  work: (starting: (prepared: PreparedRun) => PreparedRun) => Promise<T>,
): Promise<T> {
  let hasBegun = false;
  const starting = (prepared: PreparedRun): PreparedRun => ({
    ...prepared,
    begin: (attended) => {
      hasBegun = true;
      return prepared.begin(attended);
    },
  });
  try {
    return await work(starting);
  } catch (thrown) {
    if (task && !hasBegun) await notifyTask(config, task, PortolanError.from(thrown), output);
    throw thrown;
  }
}

async function notifyTask(
  config: Config,
  task: TaskAddress,
  reason: PortolanError,
  output: Output,
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
    output.note(`note  ${named} now says submitfailed`);
  } catch (thrown) {
    const { plainMessage } = PortolanError.from(thrown);
    output.note(output.side.colors.yellow(`warning  ${named} could not be notified: ${plainMessage}`));
  } finally {
    await portals.close();
  }
}
