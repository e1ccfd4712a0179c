import { builtInUsers } from '../../../src/simulator/seed/users';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { TaskAddress } from '../../../src/model/portal-change/task-run';
import { transportItems } from '../../../src/simulator/seed/transport';
import { record, recording } from '../../support/recorder';
import { Site } from '../../support/site';
import { scheduledTask } from '../../support/scheduled-task';
import { typedIn } from '../../support/typed-in';

recording('histories of changes of a portal, of this version', () => {
  let at: Site;
  const { recordOf } = typedIn(() => at.folder);
  let task: ReturnType<typeof scheduledTask>;
  beforeAll(async () => {
    at = await Site.open({ user: builtInUsers.admin, listed: true });
    task = scheduledTask(at.target);
  });
  afterAll(() => at.close());

  const change = async (name: string, ...args: string[]) => {
    const { status, runId } = await recordOf(...args);
    expect(status).toBe('succeeded');
    await record(name, at.handle(runId));
  };
  const file = async (name: string, content: object) => {
    const written = path.join(at.folder, name);
    await writeFile(written, JSON.stringify(content));
    return written;
  };

  it('settings, a category schema, and the run of a task', async () => {
    const settings = await file('settings.json', {
      informationalBanner: { text: 'Soon', bgColor: 'gold', fontColor: 'black', enabled: true },
      portalConfigProperties: { tokenExpiration: 60 },
    });
    await change('changed-settings', 'settings', 'apply', 'production', settings, '--yes');
    const schema = await file('schema.json', { categorySchema: [{ title: 'Categories', categories: [] }] });
    await change('changed-categories', 'category-schema', 'apply', 'production', schema, '--yes');
    const status = ['--user', 'owner', '--status', 'executing'];
    await change('changed-task-run', 'task-run', 'update', 'production', task.id, 'latest', ...status);
  });

  it('a sync with a banner and a task, parked at its import and resumed', async () => {
    const { target } = at;
    target.world.items.remove(transportItems.csv);
    at.refuseImports({ times: 1 });
    const { id: taskId } = task;
    const taskRun: TaskAddress = { portal: 'production', url: target.url, username: 'owner', taskId };
    const banner = { text: 'Being updated', bgColor: 'gold', fontColor: 'black' };
    const parked = await at.sync(at.route({}, { taskRun, banner }));
    expect(parked.record.status).toBe('parked');
    const { record: ended, handle } = await at.resume(parked.handle);
    expect(ended).toMatchObject({ status: 'succeeded', banner: { status: 'back' } });
    await handle.result();
    await record('bound-with-a-banner', handle);
  });
});
