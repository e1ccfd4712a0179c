import { afterEach, describe, expect, it } from '@jest/globals';
import { signIn, start, stopAll } from './harness';

afterEach(stopAll);

describe('settings of the organization', () => {
  const update = '/portals/self/settings/update';

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
