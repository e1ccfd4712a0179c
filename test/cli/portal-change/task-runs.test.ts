import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { TaskRunInput } from '../../../src/model/portal-change/change';
import { newRunId, portalRefOf, startChange } from '../../../src/service/run/start-run';
import { transportItems, transportTargetGroupId } from '../../../src/simulator/seed/transport';
import type { Ended } from '../../support/child';
import { inProcess } from '../../support/in-process';
import { recordOf } from '../../support/json';
import { Site } from '../../support/site';
import { scheduledTask } from '../../support/scheduled-task';
import { until } from '../../support/until';

let at: Site;
let task: ReturnType<typeof scheduledTask>;
beforeAll(async () => {
  at = await Site.open({ listed: true });
});
afterAll(() => at.close());
beforeEach(() => {
  task = scheduledTask(at.target);
});

const run = (...args: string[]): Promise<Ended> => inProcess(args, { cwd: at.folder });
const update = (taskRun: string, ...args: string[]): Promise<Ended> =>
  run('task-run', 'update', 'production', task.id, taskRun, ...args, '--user', 'owner', '-o', 'json');

describe('task-run update', () => {
  it('sets status and result, keeps a result not given, and writes each change once', async () => {
    const record = recordOf(await update(task.newest, '--status', 'executing', '--result', 'half way'));
    expect(record).toMatchObject({
      status: 'succeeded',
      target: 'changed',
      route: { name: 'production', target: { portal: 'production' } },
    });
    expect((await run('run', 'show', record.runId)).stdout).toMatch(/status +scheduled +executing/);
    // The index of Temporal has its end a moment later.
    const listed = new RegExp(`${record.runId} +task-run +production +succeeded`);
    await until('the change in the list', async () => listed.test((await run('run', 'list')).stdout));
    await update('latest', '--status', 'failed');
    expect(task.said(task.newest)).toEqual({ status: 'failed', result: 'half way' });
    expect(task.said(task.older).status).toBe('scheduled');
    const again = recordOf(await update('latest', '--status', 'failed'));
    expect(again).toMatchObject({ status: 'nothing-to-do', target: 'untouched' });
    expect(task.posts()).toBe(2);
  });

  it('looks after a lost response and writes once', async () => {
    at.target.faults.add({ match: { operation: 'taskRun.update' }, nth: 1, when: 'after', do: 'reset' });
    const ended = await update('latest', '--status', 'skipped', '--result', '');
    expect(recordOf(ended)).toMatchObject({ status: 'succeeded' });
    expect(task.said(task.newest)).toEqual({ status: 'skipped', result: '' });
    expect(task.posts()).toBe(1);
  });

  it('writes nothing if it is cancelled while it reads', async () => {
    at.target.faults.add({ match: { operation: 'taskRun.read' }, nth: 1, do: 'hang' });
    const portal = portalRefOf(at.config, 'production');
    const runId = newRunId('task-run', 'production');
    await startChange<TaskRunInput>('task-run', at, {
      runId,
      operation: 'update',
      portal,
      task: { ...portal, username: 'owner', taskId: task.id, taskRunId: task.newest },
      status: 'succeeded',
    });
    const asked = await run('run', 'cancel', runId);
    expect(asked.stdout).toMatch(/^cancelling; nothing is written\nwatch +portolan run watch /);
    const { status, stdout } = await run('run', 'watch', runId, '-o', 'json');
    expect([status, JSON.parse(stdout)]).toMatchObject([5, { status: 'cancelled', target: 'untouched' }]);
    expect((await run('run', 'cancel', runId)).stderr).toMatch(/has ended; it accepts no decisions/);
    expect((await run('run', 'approve', runId, '--plan', 'abcd')).stderr).toMatch(
      /it is not a run of a group/,
    );
    expect(task.posts()).toBe(0);
    at.target.faults.clear();
  });

  it('is refused before any request while the portal is frozen [P13]', async () => {
    await run('freeze', 'production', '--reason', 'an upgrade');
    const before = at.target.requests().length;
    const { status, stdout } = await update('latest', '--status', 'failed');
    await run('unfreeze', 'production');
    expect([status, JSON.parse(stdout)]).toMatchObject([
      1,
      { status: 'failed', target: 'untouched', error: { code: 'PORTAL_FROZEN' } },
    ]);
    expect(at.target.requests()).toHaveLength(before);
  });

  it.each([
    ['production', 'latest', 'done', 2, /scheduled, executing, succeeded, skipped, failed, submitfailed/],
    ['nowhere', 'latest', 'failed', 10, /nowhere/],
    ['production', 'gone', 'failed', 10, /does not exist/],
  ])('refuses an unknown portal, task run or status: %s %s %s', async (portal, id, word, status, words) => {
    const ended = await run('task-run', 'update', portal, task.id, id, '--status', word, '--user', 'owner');
    expect([ended.status, ended.stderr, task.posts()]).toEqual([status, expect.stringMatching(words), 0]);
  });
});

describe('a run bound to a portal task', () => {
  const bound = (): string[] => ['--task-run', `production/owner/${task.id}`];
  const restore = () =>
    run('restore', 'latest', '--to', 'production', '--into', transportTargetGroupId, ...bound());

  it('reports submitfailed with the reason if it cannot be started', async () => {
    const yaml = await readFile(at.config.path, 'utf8');
    const unreachable = path.join(at.folder, 'unreachable.yaml');
    await writeFile(unreachable, yaml.replace(/address: .*/, 'address: 127.0.0.1:1'));
    const { status, stderr } = await run('sync', 'transport', '--config', unreachable, ...bound());
    expect([status, stderr]).toEqual([
      11,
      expect.stringMatching(/task \w+ of owner on production is now submitfailed/),
    ]);
    expect(task.said(task.newest)).toEqual({
      status: 'submitfailed',
      result: expect.stringMatching(/^not started, TEMPORAL_UNREACHABLE: /),
    });
    task = scheduledTask(at.target);
    expect((await restore()).status).toBe(10);
    expect(task.said(task.newest)).toEqual({
      status: 'submitfailed',
      result: expect.stringMatching(/^not started, SNAPSHOT_NOT_FOUND: /),
    });
  });

  it('leaves the status of an earlier night and says so', async () => {
    const word = { status: 'failed', result: 'mended by hand' };
    task.makeRun(task.newest, Date.now() - 86_400_000, word);
    expect((await restore()).stderr).toMatch(
      /could not be updated: .* is from an earlier night \(status failed\)/,
    );
    expect(task.said(task.newest)).toEqual(word);
  });

  it('is refused with a task of the wrong form or an unknown portal', async () => {
    const badly = await run('sync', 'transport', '--task-run', 'production');
    expect([badly.status, badly.stderr]).toEqual([
      2,
      expect.stringMatching(/Write PORTAL\/USER\/TASK or PORTAL\/USER\/TASK\/TASK-RUN/),
    ]);
    expect((await run('sync', 'transport', '--task-run', 'nowhere/owner/x')).status).toBe(10);
  });

  it('reports how it ended', async () => {
    const ended = await run('sync', 'transport', '--items', transportItems.pdf, ...bound());
    expect(ended.status).toBe(0);
    expect(task.said(task.newest).status).toBe('succeeded');
  });
});
