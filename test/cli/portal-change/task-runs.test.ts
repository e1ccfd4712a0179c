import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { portalRefOf, startChange, newRunId } from '../../../src/service/run/start-run';
import type { TaskRunInput } from '../../../src/model/portal-change/change';
import { Rehearsal } from '../../support/rehearsal';
import { scheduledTask } from '../../support/scheduled-task';
import type { Ended } from '../../support/child';
import { transportTargetGroupId } from '../../../src/simulator/seed/transport';
import { inProcess } from '../../support/in-process';
import { until } from '../../support/until';
import { recordOf } from '../../support/json';

let at: Rehearsal;
let task: ReturnType<typeof scheduledTask>;
beforeAll(async () => {
  at = await Rehearsal.open({ listed: true });
});
afterAll(() => at.close());
beforeEach(() => {
  task = scheduledTask(at.target);
});

const run = (...args: string[]): Promise<Ended> => inProcess(args, { cwd: at.folder });
const update = (...args: string[]): Promise<Ended> =>
  run('task-run', 'update', 'production', task.id, ...args, '--user', 'owner', '-o', 'json');

describe('portolan task-run update', () => {
  it('sets status and result, is listed among the runs, and writes nothing that stands there already', async () => {
    const ended = await update(task.newest, '--status', 'succeeded', '--result', '12 imported');
    expect(ended.status).toBe(0);
    const record = recordOf(ended);
    expect(record).toMatchObject({
      status: 'succeeded',
      target: 'changed',
      route: { name: 'production', target: { portal: 'production' } },
    });
    expect(task.said(task.newest)).toEqual({ status: 'succeeded', result: '12 imported' });
    const shown = await run('run', 'show', record.runId);
    expect(shown.stdout).toMatch(/task-run update production/);
    expect(shown.stdout).toMatch(/status +scheduled +succeeded/);
    // The index of Temporal tells its end a moment later.
    const listed = new RegExp(`${record.runId} +task-run +production +succeeded`);
    await until(
      'the change among the runs that are over',
      async () => (await run('run', 'list')).stdout,
      (stdout) => listed.test(stdout),
    );

    const again = await update('latest', '--status', 'succeeded');
    expect(recordOf(again)).toMatchObject({ status: 'nothing-to-do', target: 'untouched' });
    expect(task.posts()).toBe(1);
  });

  it('of one request id is one change, and is refused with anything else', async () => {
    const asked = ['latest', '--status', 'succeeded', '--request-id', 'night-1'];
    const both = await Promise.all([update(...asked), update(...asked)]);
    expect(both.map(({ status }) => status)).toEqual([0, 0]);
    expect(new Set(both.map((each) => recordOf(each).runId)).size).toBe(1);
    expect(task.posts()).toBe(1);
    const other = await update('latest', '--status', 'failed', '--request-id', 'night-1');
    expect([other.status, other.stderr]).toEqual([2, expect.stringContaining('with other options')]);
  });

  it('keeps a result that is not given, and takes the run that was created last for latest', async () => {
    await update('latest', '--status', 'executing', '--result', 'half way');
    expect((await update('latest', '--status', 'failed')).status).toBe(0);
    expect(task.said(task.newest)).toEqual({ status: 'failed', result: 'half way' });
    expect(task.said(task.older).status).toBe('scheduled');
  });

  it('looks where the answer is lost, and sends nothing twice that arrived', async () => {
    at.target.faults.add({ match: { operation: 'taskRun.update' }, nth: 1, when: 'after', do: 'reset' });
    const ended = await update('latest', '--status', 'skipped', '--result', '');
    expect(recordOf(ended)).toMatchObject({ status: 'succeeded' });
    expect(task.said(task.newest)).toEqual({ status: 'skipped', result: '' });
    expect(task.posts()).toBe(1);
  });

  it('can be cancelled while it reads, and then has written nothing', async () => {
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
    expect(status).toBe(5);
    expect(JSON.parse(stdout)).toMatchObject({ status: 'cancelled', target: 'untouched' });
    expect((await run('run', 'cancel', runId)).stderr).toMatch(/has ended; it accepts no decisions/);
    expect((await run('run', 'approve', runId, '--plan', 'abcd')).stderr).toMatch(
      /it is not a run of a group/,
    );
    expect(task.posts()).toBe(0);
    at.target.faults.clear();
  });

  it('is refused while the portal is frozen, before anything is asked of it', async () => {
    await run('freeze', 'production', '--reason', 'an upgrade');
    const asked = at.target.requests().length;
    const { status, stdout } = await update('latest', '--status', 'failed');
    await run('unfreeze', 'production');
    expect([status, JSON.parse(stdout)]).toEqual([
      1,
      expect.objectContaining({
        status: 'failed',
        target: 'untouched',
        error: expect.objectContaining({ code: 'PORTAL_FROZEN' }),
      }),
    ]);
    expect(at.target.requests()).toHaveLength(asked);
  });

  it('refuses what is no status word, no portal or no task before anything is written', async () => {
    const word = await update('latest', '--status', 'done');
    expect(word.status).toBe(2);
    expect(word.stderr).toMatch(/scheduled, executing, succeeded, skipped, failed, submitfailed/);
    const portal = await run(
      'task-run',
      'update',
      'nowhere',
      task.id,
      'latest',
      '--user',
      'owner',
      '--status',
      'failed',
    );
    expect(portal.status).toBe(10);
    const missing = await run(
      'task-run',
      'update',
      'production',
      'gone',
      'latest',
      '--user',
      'owner',
      '--status',
      'failed',
    );
    expect(missing.status).toBe(10);
    expect(task.posts()).toBe(0);
  });
});

describe('a sync that is bound to a task', () => {
  const bound = (): string => `production/owner/${task.id}`;

  it('and cannot be started says submitfailed there, with the reason', async () => {
    const yaml = await readFile(at.config.path, 'utf8');
    const unreachable = path.join(at.folder, 'unreachable.yaml');
    await writeFile(unreachable, yaml.replace(/address: .*/, 'address: 127.0.0.1:1'));
    const args = ['sync', 'transport', '--config', unreachable, '--task-run', bound()];
    const { status, stderr } = await inProcess(args);
    expect(status).toBe(11);
    expect(stderr).toMatch(/task \w+ of owner on production is now submitfailed/);
    expect(task.said(task.newest)).toEqual({
      status: 'submitfailed',
      result: expect.stringMatching(/^not started, TEMPORAL_UNREACHABLE: /),
    });
  });

  it('may be a restore, which says the same where it cannot be started', async () => {
    const into = ['--to', 'production', '--into', transportTargetGroupId];
    const { status } = await run('restore', 'latest', ...into, '--task-run', bound());
    expect(status).toBe(10);
    expect(task.said(task.newest)).toEqual({
      status: 'submitfailed',
      result: expect.stringMatching(/^not started, SNAPSHOT_NOT_FOUND: /),
    });
  });

  it('and cannot be started leaves the word of an earlier night as it was, and says so', async () => {
    const word = { status: 'failed', result: 'mended by hand' };
    task.makeRun(task.newest, Date.now() - 86_400_000, word);
    const into = ['--to', 'production', '--into', transportTargetGroupId];
    const { stderr } = await run('restore', 'latest', ...into, '--task-run', bound());
    expect(stderr).toMatch(/could not be updated: .* is from an earlier night \(status failed\)/);
    expect(task.said(task.newest)).toEqual(word);
  });

  it('names its task as PORTAL/USER/TASK, on a portal that there is, before anything is asked', async () => {
    const badly = await inProcess([
      'sync',
      'transport',
      '--config',
      at.config.path,
      '--task-run',
      'production',
    ]);
    expect(badly.status).toBe(2);
    expect(badly.stderr).toMatch(/Write PORTAL\/USER\/TASK or PORTAL\/USER\/TASK\/TASK-RUN/);
    const nowhere = ['sync', 'transport', '--config', at.config.path, '--task-run', 'nowhere/owner/x'];
    expect((await inProcess(nowhere)).status).toBe(10);
  });

  it('says how it ended', async () => {
    const { status } = await run('sync', 'transport', '--task-run', bound());
    expect(status).toBe(0);
    expect(task.said(task.newest).status).toBe('succeeded');
  });
});
