import { expect } from '@jest/globals';
import { taskRunStatuses } from '../../../src/model/run/phase';
import { readTaskRun, updateTaskRun } from '../../../src/portal/resources/tasks';
import type { Row, Section } from '../row';

const operation = 'taskRun.update';

const rows: readonly Row[] = [
  {
    statement: 'Changes a task run by an urlencoded POST, and returns its IDs.',
    wire: {
      operation,
      method: 'POST',
      path: '/community/users/<userName>/tasks/<taskId>/runs/<runId>/update',
      body: 'application/x-www-form-urlencoded',
      params: { status: 'succeeded', result: '11 items, none failed' },
    },
    check: async (site) => {
      const run = site.task();
      const outcome = { status: 'succeeded', result: '11 items, none failed' } as const;
      const { taskId, runId } = run;
      expect(await updateTaskRun(site.as('owner'), { ...run, ...outcome })).toEqual({ taskId, runId });
      expect(await readTaskRun(site.as('owner'), run)).toMatchObject({ runId, ...outcome });
    },
  },
  {
    statement: 'Accepts each status after any other, and an empty result.',
    wire: taskRunStatuses.map((status) => ({ operation, params: { status, result: '' } })),
    check: async (site) => {
      const run = site.task();
      for (const before of taskRunStatuses) {
        for (const status of taskRunStatuses) {
          site.simulator.world.taskRuns.change(run.runId, { status: before, result: 'before' });
          await updateTaskRun(site.as('owner'), { ...run, status, result: '' });
          expect(site.taskRun(run.runId)).toMatchObject({ status, result: '' });
        }
      }
    },
  },
  {
    statement: 'Reports an unknown run as missing.',
    wire: { operation, without: ['result'], errorCode: 404 },
    check: async (site) => {
      const update = updateTaskRun(site.as('owner'), { ...site.task(), runId: 'none', status: 'failed' });
      await expect(update).rejects.toMatchObject({ code: 'NOT_FOUND' });
    },
  },
];

export const taskRunSection: Section = { title: 'Task runs', rows };
