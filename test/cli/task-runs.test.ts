import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { ChangeRecord } from '../../src/model/change';
import { Rehearsal } from '../workflows/rehearsal';
import { scheduledTask } from '../workflows/scheduled-task';
import { type Ended, portolan } from './child';

let at: Rehearsal;
let task: ReturnType<typeof scheduledTask>;
beforeAll(async () => {
  at = await Rehearsal.open({ listed: true });
});
afterAll(() => at.close());
beforeEach(() => {
  task = scheduledTask(at.target);
});

const run = (...args: string[]): Promise<Ended> => portolan(args, { cwd: at.folder });
const update = (...args: string[]): Promise<Ended> =>
  run('task-run', 'update', 'production', task.id, ...args, '--user', 'owner', '-o', 'json');
const recordOf = ({ stdout }: Ended): ChangeRecord => JSON.parse(stdout) as ChangeRecord;

describe('portolan task-run update', () => {
  it('sets status and result, is listed among the runs, and writes nothing that stands there already', async () => {
    const ended = await update(task.newest, '--status', 'succeeded', '--result', '12 imported');
    expect(ended.status).toBe(0);
    const record = recordOf(ended);
    expect(record).toMatchObject({
      status: 'succeeded',
      target: 'changed',
      portal: { portal: 'production' },
    });
    expect(task.said(task.newest)).toEqual({ status: 'succeeded', result: '12 imported' });
    const shown = await run('run', 'show', record.runId);
    expect(shown.stdout).toMatch(/task-run update: production/);
    expect(shown.stdout).toMatch(/status +scheduled +succeeded/);
    expect((await run('run', 'list')).stdout).toMatch(
      new RegExp(`${record.runId} +task-run +production +succeeded`),
    );

    const again = await update('latest', '--status', 'succeeded');
    expect(recordOf(again)).toMatchObject({ status: 'nothing-to-do', target: 'untouched' });
    expect(task.posts()).toBe(1);
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
