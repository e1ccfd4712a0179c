import type { IntendedWrite } from '../../model/run/policy';
import type { TaskAddress, TaskRunWord, TaskSpeaker } from '../../model/portal-change/task-run';
import { newestTaskRun, requireFree } from '../../portal/resources/newest-task-run';
import { readTaskRun, type TaskRun, updateTaskRun } from '../../portal/resources/tasks';
import type { ActivityDeps } from '../deps';
import { stopSignal } from '../attempt/heartbeat';
import { openPortalRef } from './portal-ref';
import { writeOnce } from './write-once';

export function createTaskRunActivities({ portals, policy }: Pick<ActivityDeps, 'portals' | 'policy'>) {
  return {
    /**
     * The run of a task as it stands, so that something else can be written: the one that is named, or the one that was
     * created last. Throws NOT_FOUND, also where it holds the word of another night than of who wants to speak, and what
     * the policy of its portal refuses.
     */
    async findTaskRun(
      task: TaskAddress & { readonly createdUntil?: number; readonly by?: TaskSpeaker },
    ): Promise<{ taskRunId: string; status: string | undefined; result: string | undefined }> {
      const portal = openPortalRef(portals, task);
      await policy.require(updateOf(task));
      const run = await newestTaskRun(portal, task, { signal: stopSignal() });
      return { taskRunId: run.runId, status: run.status, result: run.result };
    },

    /**
     * Sets status and result of a task's run, once however often it is tried. Throws NOT_FOUND where another run than
     * of who speaks has said something there meanwhile.
     */
    async writeTaskRun({
      task,
      word,
      by,
    }: {
      task: Required<TaskAddress>;
      word: TaskRunWord;
      by?: TaskSpeaker;
    }): Promise<void> {
      const portal = openPortalRef(portals, task);
      const { username, taskId, taskRunId: runId } = task;
      const address = { username, taskId, runId };
      const options = { signal: stopSignal() };
      await writeOnce({
        isThere: async () => saysSo(await readTaskRun(portal, address, options), word),
        post: async (writing) => {
          await policy.require(updateOf(task));
          if (by) requireFree(portal, await readTaskRun(portal, address, options), { ...task, by });
          await updateTaskRun(portal, { ...address, ...word }, writing);
        },
      });
    },

    /** Whether the run of a task says what was written. Portals that show no result are believed by the status. */
    async checkTaskRun({ task, word }: { task: Required<TaskAddress>; word: TaskRunWord }): Promise<boolean> {
      const { username, taskId, taskRunId: runId } = task;
      const portal = openPortalRef(portals, task);
      return saysSo(await readTaskRun(portal, { username, taskId, runId }, { signal: stopSignal() }), word);
    },
  };
}

const updateOf = (task: TaskAddress): IntendedWrite => ({ writer: 'task-run', target: task });

const saysSo = (run: TaskRun, { status, result }: TaskRunWord): boolean =>
  run.status === status && (run.result ?? result) === result;
