import { CancellationScope, log, workflowInfo } from '@temporalio/workflow';
import type { TaskSpeaker } from '../../model/portal-change/task-run';
import { taskRunWord } from '../../model/portal-change/task-run-words';
import { timeOfRunId } from '../../model/run/run-id';
import { bestEffort, writing } from '../run/activity-options';
import { errorRecordOf } from '../run/failure';
import type { Observer } from './observer';
import type { Run } from '../run/run';

/** The portal makes a run of its task about when it, or somebody, starts ours. @format milliseconds */
const RUN_IS_MADE_WITHIN_MS = 3_600_000;

/**
 * Notifies the portal's own scheduled task, where the route is bound to one, how the run stands. While it goes on, that
 * takes a minute at most; the last word is tried for as long as any write. What the portal does not take becomes a
 * warning. A part of a bisect says nothing: the bisect does.
 */
export const taskNotifier: Observer = {
  started: notifyTask,
  waiting: notifyTask,
  answered: notifyTask,
  parked: notifyTask,
  resumed: notifyTask,
  ended: notifyTask,
};

async function notifyTask(run: Run): Promise<void> {
  const { state, route, kind } = run;
  const { taskRun: task, planOnly } = route.options ?? {};
  if (!task || planOnly || run.input.parks === false || !kind.bindsTask) return;
  const isLast = state.finishedAt !== undefined;
  const word = taskRunWord(state);
  const by = speaker(run);
  // A run that could not be found at the start must not be taken for the one of the next night.
  const createdUntil = by.dueAt + RUN_IS_MADE_WITHIN_MS;
  const late = Date.now() > createdUntil;
  const calls = (isLast ? writing : bestEffort)(`run of a task: ${word.status}`, task.portal);
  try {
    await CancellationScope.nonCancellable(async () => {
      const taskRunId =
        state.taskRun?.taskRunId ??
        (await calls.findTaskRun({ ...task, by, ...(late && { createdUntil }) })).taskRunId;
      const { portal, username, taskId } = task;
      const taskRun = { ...state.taskRun, portal, username, taskId, taskRunId };
      run.show({ taskRun });
      await calls.writeTaskRun({ task: { ...task, taskRunId }, word, by });
      run.show({ taskRun: { ...taskRun, said: word.status } });
    });
  } catch (error) {
    log.warn('the portal task was not updated', { status: word.status, error });
    const { message } = errorRecordOf(error, route);
    run.warn(
      `task ${task.taskId} of ${task.username} on ${task.portal} was not set to ${word.status}: ${message}`,
    );
  }
}

/** One that begins late, since no worker was there, belongs to the night for which it was started all the same. */
const speaker = ({ input: { runId, parent } }: Run): TaskSpeaker => ({
  runIds: parent === undefined ? [runId] : [runId, parent],
  dueAt: timeOfRunId(runId) ?? workflowInfo().startTime.getTime(),
});
