import { afterEach, describe, expect, it } from '@jest/globals';
import { transportTask } from '../../src/simulator/seed/transport';
import { Client, signIn, start, stopAll, type Fault } from './harness';

afterEach(stopAll);

describe('settings of the organization', () => {
  const update = '/portals/self/settings/update';

  it('are replaced object by object, by administrators, and read back', async () => {
    const simulator = await start({ version: '11.1' });
    const admin = await signIn(simulator, 'admin');
    const informationalBanner = { text: 'Closed', bgColor: 'red', fontColor: '#fff', enabled: true };
    const portalConfigProperties = {
      tokenExpiration: 60,
      configurePortalCloudEnv: false,
      iotViewerUrl: 'https://x',
    };
    expect(
      await admin.call(update, {
        informationalBanner: JSON.stringify(informationalBanner),
        portalConfigProperties: JSON.stringify(portalConfigProperties),
      }),
    ).toEqual({ success: true });
    const read = '/portals/0123456789ABCDEF/settings';
    expect(await admin.call(read)).toMatchObject({ informationalBanner, portalConfigProperties });
    await admin.call(update, { portalConfigProperties: JSON.stringify({ sceneViewerEnabled: false }) });
    expect(await admin.call(read)).toMatchObject({ portalConfigProperties: { sceneViewerEnabled: false } });
    await admin.call(update, { informationalBanner: '{}' });
    expect(await admin.call(read)).toMatchObject({ informationalBanner });
    await admin.call(update, { informationalBanner: '{}', clearEmptyFields: 'true' });
    expect(await admin.call(read)).toMatchObject({ informationalBanner: null });
    const owner = await signIn(simulator, 'owner');
    expect(await owner.call(update, { informationalBanner: '{"text":"x"}' })).toMatchObject({
      error: { code: 403 },
    });
  });

  it('refuse what the portal does not know, and pass over what its version does not have', async () => {
    const admin = await signIn(await start({ version: '11.0' }), 'admin');
    const refused = { error: { code: 400 } };
    const notice = (buttons: string): Record<string, string> => ({
      anonymousAccessNotice: JSON.stringify({ title: 'T', text: 't', buttons, enabled: true }),
    });
    expect(await admin.call(update, notice('acceptAndDecline'))).toEqual({ success: true });
    expect(await admin.call(update, notice('acceptAndDecilne'))).toMatchObject(refused);
    expect(await admin.call(update, { informationalBanner: '{"enabled":"yes"}' })).toMatchObject(refused);
    expect(await admin.call(update, { informationalBanner: 'not json' })).toMatchObject(refused);
    expect(await admin.call(update, { portalConfigProperties: '{"iotViewerUrl":"x"}' })).toMatchObject(
      refused,
    );
    const ofOtherKinds = [
      '{"unheardOf":1}',
      '{"footerLinks":{}}',
      '{"httpsDomains":[1]}',
      '{"tokenExpiration":1.5}',
    ];
    for (const portalConfigProperties of ofOtherKinds) {
      expect(await admin.call(update, { portalConfigProperties })).toMatchObject(refused);
    }
    expect(await admin.call(update, { authenticatedAccessNotice: '{"text":"x"}' })).toEqual({
      success: true,
    });
    expect(await admin.call('/portals/self/settings')).toMatchObject({ authenticatedAccessNotice: null });
    const older = await signIn(await start({ version: '10.9.1' }), 'admin');
    expect(await older.call(update, { portalConfigProperties: '{"tokenExpiration":1}' })).toEqual({
      success: true,
    });
    expect(await older.call('/portals/self/settings')).not.toHaveProperty('portalConfigProperties');
  });
});

describe('the category schema', () => {
  const trees = {
    categorySchema: [{ title: 'Categories', categories: [{ title: 'Roads', categories: [] }] }],
  };
  const assign = '/portals/self/assignCategorySchema';
  const remove = '/portals/self/deleteCategorySchema';

  it('is assigned, read and deleted, the last by full administrators only', async () => {
    const simulator = await start();
    const [admin, custom, owner] = [
      await signIn(simulator, 'admin'),
      await signIn(simulator, 'custom'),
      await signIn(simulator, 'owner'),
    ];
    const categorySchema = JSON.stringify(trees);
    expect(await owner.call(assign, { categorySchema })).toMatchObject({ error: { code: 403 } });
    expect(await custom.call(assign, { categorySchema })).toEqual({ success: true });
    expect(await owner.call('/portals/self/categorySchema')).toEqual(trees);
    expect(await owner.call('/portals/self')).toMatchObject({ hasCategorySchema: true });
    const inaccessible = { error: { code: 404, message: 'Resource does not exist or is inaccessible.' } };
    expect(await custom.call(remove)).toMatchObject(inaccessible);
    expect(await owner.call(remove)).toMatchObject(inaccessible);
    expect(await admin.call(remove)).toEqual({ success: true });
    expect(await admin.call(remove)).toMatchObject(inaccessible);
  });

  it('has limits', async () => {
    const admin = await signIn(await start(), 'admin');
    const deep = (levels: number): object => ({
      title: 'x',
      categories: levels > 1 ? [deep(levels - 1)] : [],
    });
    const assigned = (categorySchema: unknown[]): Promise<Fault> =>
      admin.call(assign, { categorySchema: JSON.stringify({ categorySchema }) });
    expect(await assigned([deep(4)])).toEqual({ success: true });
    expect(await assigned([deep(5)])).toMatchObject({ error: { code: 400 } });
    expect(await assigned(Array.from({ length: 6 }, () => deep(1)))).toMatchObject({ error: { code: 400 } });
    expect(await assigned([{ title: 'x'.repeat(101) }])).toMatchObject({ error: { code: 400 } });
    const wide = [{ title: 'x', categories: Array.from({ length: 200 }, () => deep(1)) }];
    expect(await assigned(wide)).toMatchObject({ error: { code: 400 } });
    expect(await admin.call(assign)).toMatchObject({ error: { code: 400 } });
  });

  it('takes no title twice among siblings and none that is blank, and keeps no other fields', async () => {
    const simulator = await start();
    const admin = await signIn(simulator, 'admin');
    const assigned = (categorySchema: unknown[]): Promise<Fault> =>
      admin.call(assign, { categorySchema: JSON.stringify({ categorySchema }) });
    const twice = [{ title: 'Roads' }, { title: 'Roads' }];
    expect(await assigned(twice)).toMatchObject({ error: { code: 400 } });
    expect(await assigned([{ title: 'x', categories: twice }])).toMatchObject({ error: { code: 400 } });
    expect(await assigned([{ title: ' ' }])).toMatchObject({ error: { code: 400 } });
    expect(await assigned([{ title: 'Roads', color: 'red' }])).toEqual({ success: true });
    const read = '/portals/self/categorySchema';
    expect(await admin.call(read)).toEqual({ categorySchema: [{ title: 'Roads' }] });
    expect(await new Client(simulator, undefined).call(read)).toMatchObject({ error: { code: 499 } });
  });
});

describe('scheduled tasks', () => {
  const task = `/community/users/owner/tasks/${transportTask.taskId}`;
  const run = `${task}/runs/${transportTask.runId}`;

  it('have runs whose status and result are set, by the owner and administrators', async () => {
    const simulator = await start({ seed: 'transport' });
    const owner = await signIn(simulator, 'owner');
    const { taskId, runId } = transportTask;
    expect(await owner.call('/community/users/owner/tasks')).toMatchObject({
      total: 1,
      tasks: [{ id: taskId }],
    });
    expect(await owner.call(`${run}/update`, { status: 'succeeded', result: '11 items' })).toEqual({
      success: true,
      taskId,
      runId,
    });
    expect(await owner.call(`${task}/runs`)).toMatchObject({
      runs: [{ runId, status: 'succeeded', result: '11 items' }],
    });
    const admin = await signIn(simulator, 'admin');
    expect(await admin.call(`${run}/update`, { status: 'submitfailed' })).toMatchObject({ success: true });
    expect(await owner.call(run)).toMatchObject({ status: 'submitfailed', result: '' });
    const other = await signIn(simulator, 'other');
    expect(await other.call(`${run}/update`, { status: 'failed' })).toMatchObject({ error: { code: 403 } });
    expect(await owner.call(`${run}/update`, { status: 'done' })).toMatchObject({ error: { code: 400 } });
    expect(await owner.call(`${run}/update`)).toMatchObject({
      error: { message: "'status' property required." },
    });
    expect(await owner.call(`${task}/runs/none/update`, { status: 'failed' })).toMatchObject({
      error: { code: 404 },
    });
  });

  it('are created, paused and deleted', async () => {
    const owner = await signIn(await start(), 'owner');
    const tasks = '/community/users/owner/tasks';
    const params = { title: 'Nightly', type: 'ExecuteNotebook', minute: '0', hour: '3' };
    const { taskId } = await owner.call<{ taskId: string }>(`${tasks}/createTask`, params);
    await owner.call(`${tasks}/${taskId}/disable`);
    expect(await owner.call(`${tasks}/${taskId}`)).toMatchObject({
      title: 'Nightly',
      active: false,
      taskState: 'paused',
    });
    await owner.call(`${tasks}/${taskId}/delete`);
    expect(await owner.call(`${tasks}/${taskId}`)).toMatchObject({ error: { code: 404 } });
  });
});

describe('the administration', () => {
  const admin = (client: Client): string => `${client.simulator.world.portalUrl}/portaladmin`;

  it('tells administrators from 11.3 on how much room the content has', async () => {
    const simulator = await start({ version: '11.3', freeGb: 42 });
    const client = await signIn(simulator, 'admin');
    const list = (await (await client.get(`${admin(client)}/machines?f=json`)).json()) as {
      machines: { machineName: string }[];
    };
    const path = `${admin(client)}/machines/${list.machines[0]?.machineName ?? ''}/hardware`;
    const hardware = (await (await client.get(`${path}?f=json`)).json()) as { localDiskUsage: object[] };
    expect(hardware.localDiskUsage).toContainEqual(
      expect.objectContaining({
        diskUsableSpaceGB: 42,
        directoryType: 'content',
        exceededDiskSpaceThreshold: false,
      }),
    );
    const owner = await signIn(simulator, 'owner');
    expect(await (await owner.get(`${path}?f=json`)).json()).toMatchObject({ status: 'error', code: 403 });
    simulator.settings.release = (await start({ version: '11.2' })).settings.release;
    expect(await (await client.get(`${path}?f=json`)).json()).toMatchObject({ status: 'error', code: 404 });
  });

  it('takes the token of a POST from its body only', async () => {
    const client = await signIn(await start({ version: '11.3' }), 'admin');
    const path = `${admin(client)}/machines`;
    expect(await client.call(path)).toMatchObject({ status: 'error', code: 499 });
    const anonymous = new Client(client.simulator, undefined);
    expect(await anonymous.call(path, { token: client.token ?? '' })).toHaveProperty('machines');
  });

  it('names the federated servers to administrators', async () => {
    const simulator = await start();
    const servers = await (await signIn(simulator, 'admin')).call('/portals/self/servers');
    expect(servers).toMatchObject({
      servers: [
        { url: simulator.world.hostingServerUrl, isHosted: true },
        { url: simulator.world.gisServerUrl, isHosted: false },
      ],
    });
    expect(await (await signIn(simulator, 'owner')).call('/portals/self/servers')).toMatchObject({
      error: { code: 403 },
    });
  });
});
