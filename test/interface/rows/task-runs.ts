import { expect } from '@jest/globals';
import { taskRunStatuses } from '../../../src/model/portal-change/task-run';
import { readTaskRun, updateTaskRun } from '../../../src/portal/resources/tasks';
import { formatRows } from '../formats';
import type { Row, Section } from '../row';

const operation = 'taskRun.update';
const path = '/community/users/<userName>/tasks/<taskId>/runs/<runId>/update';

const address = ({ username, taskId, runId }: { username: string; taskId: string; runId: string }): string =>
  `/community/users/${username}/tasks/${taskId}/runs/${runId}/update`;

const statuses: readonly Row[] = taskRunStatuses.map((status) => ({
  id: `taskRun.status.${status}`,
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
    id: 'taskRun.call',
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
    id: 'taskRun.postOnly',
    statement: 'A GET of this address changes nothing.',
    wire: { operation: 'none', method: 'GET', path, errorCode: 404 },
    check: async (world) => {
      const site = await world.at();
      const run = site.task();
      const client = await site.raw('owner');
      await (await client.get(`${address(run)}?f=json&status=failed`)).json();
      expect(site.taskRun(run.runId)?.status).toBe('executing');
    },
  },
  {
    id: 'taskRun.urlencoded',
    statement: 'The change of a run is sent urlencoded.',
    wire: { operation, body: 'application/x-www-form-urlencoded' },
    check: async (world) => {
      const site = await world.at();
      await updateTaskRun(site.as('owner'), { ...site.task(), status: 'failed', result: '' });
    },
  },
  ...statuses,
  {
    id: 'taskRun.status.sixOnly',
    statement: 'These six are all the words of a status; any other is refused, and the run stays as it was.',
    wire: { operation, params: { status: 'done' }, errorCode: 400 },
    check: async (world) => {
      expect(taskRunStatuses).toEqual([
        'scheduled',
        'executing',
        'succeeded',
        'skipped',
        'failed',
        'submitfailed',
      ]);
      const site = await world.at();
      const run = site.task();
      const client = await site.raw('owner');
      expect(await client.call(address(run), { status: 'done' })).toMatchObject({ error: { code: 400 } });
      expect(site.taskRun(run.runId)?.status).toBe('executing');
    },
  },
  {
    id: 'taskRun.status.required',
    statement: 'Without a `status` there is no change; _relied on_: error 400.',
    wire: { operation, without: ['status'], errorCode: 400 },
    check: async (world) => {
      const site = await world.at();
      const run = site.task();
      const client = await site.raw('owner');
      expect(await client.call(address(run), { result: 'x' })).toMatchObject({ error: { code: 400 } });
      expect(site.taskRun(run.runId)?.result).toBe('');
    },
  },
  {
    id: 'taskRun.status.direct',
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
    id: 'taskRun.result',
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
    id: 'taskRun.result.empty',
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
    id: 'taskRun.result.absent',
    statement:
      '`result` may be left out; _relied on_: the old one may then be gone, so it is sent along to keep it.',
    wire: { operation, without: ['result'] },
    check: async (world) => {
      const site = await world.at();
      const run = site.task();
      await updateTaskRun(site.as('owner'), { ...run, status: 'executing', result: 'before' });
      await updateTaskRun(site.as('owner'), { ...run, status: 'succeeded' });
      expect(site.taskRun(run.runId)).toMatchObject({ status: 'succeeded', result: '' });
    },
  },
  {
    id: 'taskRun.answer',
    statement: 'The answer is `success`, a boolean, with `taskId` and `runId`, both of them texts.',
    wire: { operation },
    check: async (world) => {
      const site = await world.at();
      const { username, taskId, runId } = site.task();
      const client = await site.raw('owner');
      expect(await client.call(address({ username, taskId, runId }), { status: 'failed' })).toEqual({
        success: true,
        taskId,
        runId,
      });
      const request = { username, taskId, runId, status: 'failed', result: '' } as const;
      expect(await updateTaskRun(site.as('owner'), request)).toEqual({ taskId, runId });
    },
  },
  {
    id: 'taskRun.existing',
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
  rows: [
    ...rows,
    ...formatRows({
      id: 'taskRun',
      name: 'Task run',
      route: operation,
      call: async (world) => {
        const site = await world.at();
        return { site, user: 'owner', path: address(site.task()), params: { status: 'failed' } };
      },
    }),
  ],
};
