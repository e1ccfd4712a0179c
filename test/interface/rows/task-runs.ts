import { expect } from '@jest/globals';
import { taskRunStatuses } from '../../../src/model/run/phase';
import { readTaskRun, updateTaskRun } from '../../../src/portal/resources/tasks';
import type { Row, Section } from '../row';

const operation = 'taskRun.update';
const path = '/community/users/<userName>/tasks/<taskId>/runs/<runId>/update';

const statuses: readonly Row[] = taskRunStatuses.map((status) => ({
  statement: `The run of a task may be given the status \`${status}\`.`,
  wire: { operation, params: { status } },
  check: async (world) => {
    const site = await world.at();
    const run = site.task();
    await updateTaskRun(site.as('owner'), { ...run, status, result: '' });
    expect(await readTaskRun(site.as('owner'), run)).toMatchObject({ runId: run.runId, status });
  },
}));

const rows: readonly Row[] = [
  {
    statement: 'A run of a task is changed by a POST to its `update` address, below its user and its task.',
    wire: { operation, method: 'POST', path },
    check: async (world) => {
      const site = await world.at();
      const run = site.task();
      await updateTaskRun(site.as('owner'), { ...run, status: 'succeeded', result: '11 items' });
      expect(site.taskRun(run.runId)).toMatchObject({ status: 'succeeded', result: '11 items' });
    },
  },
  {
    statement: 'The change of a run is sent urlencoded.',
    wire: { operation, body: 'application/x-www-form-urlencoded' },
    check: async (world) => {
      const site = await world.at();
      await updateTaskRun(site.as('owner'), { ...site.task(), status: 'failed', result: '' });
    },
  },
  ...statuses,
  {
    statement: 'The status becomes what the call says, whatever it was before.',
    wire: { operation, params: { status: 'scheduled' } },
    check: async (world) => {
      const site = await world.at();
      const run = site.task();
      for (const before of taskRunStatuses) {
        for (const status of taskRunStatuses) {
          site.simulator.world.taskRuns.change(run.runId, { status: before });
          await updateTaskRun(site.as('owner'), { ...run, status, result: '' });
          expect(site.taskRun(run.runId)?.status).toBe(status);
        }
      }
    },
  },
  {
    statement: '`result` is the text that the run has from then on.',
    wire: { operation, params: { result: '11 items, none failed' } },
    check: async (world) => {
      const site = await world.at();
      const run = site.task();
      await updateTaskRun(site.as('owner'), { ...run, status: 'succeeded', result: '11 items, none failed' });
      expect(await readTaskRun(site.as('owner'), run)).toMatchObject({ result: '11 items, none failed' });
    },
  },
  {
    statement: '`result` may be empty.',
    wire: { operation, params: { result: '' } },
    check: async (world) => {
      const site = await world.at();
      const run = site.task();
      await updateTaskRun(site.as('owner'), { ...run, status: 'succeeded', result: 'before' });
      await updateTaskRun(site.as('owner'), { ...run, status: 'succeeded', result: '' });
      expect(site.taskRun(run.runId)?.result).toBe('');
    },
  },
  {
    statement: 'The answer has `taskId` and `runId`, both of them texts.',
    wire: { operation },
    check: async (world) => {
      const site = await world.at();
      const { username, taskId, runId } = site.task();
      const request = { username, taskId, runId, status: 'failed', result: '' } as const;
      expect(await updateTaskRun(site.as('owner'), request)).toEqual({ taskId, runId });
    },
  },
  {
    statement:
      'Only a run that exists can be changed; another is answered as a resource that does not exist.',
    wire: { operation, errorCode: 404 },
    check: async (world) => {
      const site = await world.at();
      const request = { ...site.task(), runId: 'none', status: 'failed' } as const;
      await expect(updateTaskRun(site.as('owner'), request)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    },
  },
];

export const taskRunSection: Section = {
  title: 'Task runs',
  rows: [...rows],
};
