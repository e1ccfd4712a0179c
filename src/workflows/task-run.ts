import type { RunState } from '../model/run/run-state';
import type { TaskRunInput } from '../model/portal-change/change';
import { admitted } from './run/authenticate';
import { reading, writing } from './run/activity-options';
import { changePortal } from './portal-change/change-phases';
import { refusal } from './run/failure';

/** Sets the status of a portal task's run. */
export async function taskRun(given: TaskRunInput): Promise<RunState> {
  const input = await admitted(given);
  const { task, status } = input;
  const { portal } = task;
  let taskRun = { ...task, taskRunId: task.taskRunId ?? '' };
  let word = { status, result: input.result ?? '' };
  return await changePortal('task-run', input, {
    read: async (run) => {
      const before = await reading(`portal task on ${portal}`, portal).findTaskRun(task);
      taskRun = { ...task, taskRunId: before.taskRunId };
      // A portal may clear a result that is not sent again.
      word = { status, result: input.result ?? before.result ?? '' };
      const changes = [
        { path: 'status', before: before.status, after: word.status },
        { path: 'result', before: before.result, after: word.result },
      ].filter((change) => change.before !== change.after);
      run.show({ changes });
      const isAll = changes.length === 0;
      return { detail: `run ${taskRun.taskRunId}, ${before.status ?? 'no status'}`, isAll };
    },
    write: async () => {
      await writing(`portal task on ${portal}`, portal).writeTaskRun({ task: taskRun, word });
      return { detail: word.status };
    },
    check: async () => {
      const holds = await reading(`portal task on ${portal}, again`, portal).checkTaskRun({
        task: taskRun,
        word,
      });
      if (holds) return { detail: 'read back' };
      throw refusal(
        'NOT_TAKEN',
        `${portal} reported success, but run ${taskRun.taskRunId} of task ${task.taskId} is not set to ${word.status} with the result that was sent`,
        `Check the run on ${portal}; something else may be writing it too.`,
        portal,
      );
    },
  });
}
