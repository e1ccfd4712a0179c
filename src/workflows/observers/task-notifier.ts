import { CancellationScope, workflowInfo } from '@temporalio/workflow';
import { type TaskSpeaker, taskReport } from '../../model/portal-change/task-run';
import { timeOfRunId } from '../../model/run/run-id';
import { bestEffort, writing } from '../run/activity-options';
import type { Run } from '../run/run';

/** The portal creates its task's run at about the time it, or a person, starts Portolan's. @format milliseconds */
const RUN_IS_MADE_WITHIN_MS = 3_600_000;

/**
 * Reports the run's status to the portal task of its route. Each report takes at most a minute; the last is retried
 * like any write. What the portal refuses becomes a warning. Runs of a bisect report nothing: the bisect does.
 */
export const taskNotifier = {
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
  const report = taskReport(state);
  const by = speaker(run);
  // Otherwise a later search could find the next night's run of the task.
  const createdUntil = by.dueAt + RUN_IS_MADE_WITHIN_MS;
  const late = Date.now() > createdUntil;
  const calls = (isLast ? writing : bestEffort)(`status "${report.status}" for the task`, task.portal);
  const failed = `task ${task.taskId} of ${task.username} on ${task.portal} was not set to ${report.status}`;
  await run.attempt(failed, () =>
    CancellationScope.nonCancellable(async () => {
      const taskRunId =
        state.taskRun?.taskRunId ??
        (await calls.findTaskRun({ ...task, by, ...(late && { createdUntil }) })).taskRunId;
      const { portal, username, taskId } = task;
      const taskRun = { ...state.taskRun, portal, username, taskId, taskRunId };
      run.show({ taskRun });
      await calls.writeTaskRun({ task: { ...task, taskRunId }, report, by });
      run.show({ taskRun: { ...taskRun, said: report.status } });
    }),
  );
}

/** A run that starts late, for lack of a worker, still reports to the task run of its due time. */
const speaker = ({ input: { runId, parent } }: Run): TaskSpeaker => ({
  runIds: parent === undefined ? [runId] : [runId, parent],
  dueAt: timeOfRunId(runId) ?? workflowInfo().startTime.getTime(),
});
