import type { TaskRunInput } from '../model/portal-change/change';
import { reading, writing } from './run/activity-options';
import { defineChange } from './portal-change/change-phases';
import { refusal } from './run/failure';

/** Sets the status of a portal task's run. */
export const taskRun = defineChange('task-run', (input: TaskRunInput) => {
  const { task, status } = input;
  const { portal } = task;
  return {
    read: async (run) => {
      const before = await reading(`portal task on ${portal}`, portal).findTaskRun(task);
      // A portal may clear a result that is not sent again.
      const word = { status, result: input.result ?? before.result ?? '' };
      const changes = [
        { path: 'status', before: before.status, after: word.status },
        { path: 'result', before: before.result, after: word.result },
      ].filter((change) => change.before !== change.after);
      run.show({ changes });
      const { taskRunId } = before;
      const found = changes.length > 0 ? { task: { ...task, taskRunId }, word } : undefined;
      return { detail: `run ${taskRunId}, ${before.status ?? 'no status'}`, found };
    },
    write: async (_run, found) => {
      await writing(`portal task on ${portal}`, portal).writeTaskRun(found);
      return { detail: status };
    },
    check: async (_run, found) => {
      const holds = await reading(`portal task on ${portal}, again`, portal).checkTaskRun(found);
      if (holds) return { detail: 'read back' };
      throw refusal(
        'NOT_TAKEN',
        `${portal} reported success, but run ${found.task.taskRunId} of task ${task.taskId} is not set to ${status} with the result that was sent`,
        `Check the run on ${portal}; something else may be writing it too.`,
        portal,
      );
    },
  };
});
