import { afterEach, describe, expect, it } from '@jest/globals';
import { Client, signIn, start, stopAll, type Fault } from './harness';

afterEach(stopAll);

describe('settings of the organization', () => {
  const update = '/portals/self/settings/update';

  it('are replaced object by object, and cleared on request', async () => {
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

  it('refuse unknown values, and ignore objects of later versions', async () => {
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
  const assign = '/portals/self/assignCategorySchema';

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
});

describe('scheduled tasks', () => {
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

  it('reads the token of a POST from its body only', async () => {
    const client = await signIn(await start({ version: '11.3' }), 'admin');
    const path = `${admin(client)}/machines`;
    expect(await client.call(path)).toMatchObject({ status: 'error', code: 499 });
    const anonymous = new Client(client.simulator, undefined);
    expect(await anonymous.call(path, { token: client.token ?? '' })).toHaveProperty('machines');
  });
});
