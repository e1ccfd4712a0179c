import { afterEach, describe, expect, it } from '@jest/globals';
import { transportGroupId, transportItems } from '../../src/simulator/seed/transport';
import { freeServerPort } from '../support/free-port';
import { Client, signIn, start, stopAll, type Fault } from './harness';

afterEach(stopAll);

type Started = Fault & { readonly jobId: string; readonly key: string };

const exportPath = (groupId: string): string => `/community/groups/${groupId}/export`;
const begin = (client: Client, groupId: string, params: Record<string, string> = {}): Promise<Started> =>
  client.call<Started>(exportPath(groupId), { async: 'true', ...params });

describe('a job of a simulated portal', () => {
  it('is lost in an upgrade, as are tokens, parts and the search index', async () => {
    const port = await freeServerPort();
    const first = await start({ seed: 'transport', version: '11.2', jobMs: 60_000, port });
    const client = await signIn(first, 'owner');
    const job = await begin(client, transportGroupId, { itemIdList: transportItems.csv });
    const params = { title: 'x', type: 'CSV', multipart: 'true', filename: 'x.csv' };
    const { id } = await client.call<{ id: string }>('/content/users/owner/addItem', params);
    await client.upload(`/content/users/owner/items/${id}/addPart?partNum=1`, Buffer.from('1'), {});
    const appLauncher = { showInAppLauncher: ['Dashboards'], sceneViewerEnabled: false };
    first.world.changePortal({ settings: { portalConfigProperties: appLauncher } });
    await first.close();
    const again = await start({ state: first.world.stateFolder, version: '11.4', searchLagMs: 60_000 });
    expect(again.url).toBe(first.url);
    const before = new Client(again, client.token);
    await before.call('/portals/self').catch(() => undefined);
    expect(await before.call('/community/self')).toMatchObject({ error: { code: 498 } });
    const after = await signIn(again, 'owner');
    expect(await after.call(`/portals/self/jobs/${job.jobId}`, { key: job.key })).toMatchObject({
      error: { code: 404 },
    });
    expect(await after.call(`/content/users/owner/items/${id}/status`)).toMatchObject({ status: 'partial' });
    expect(await after.call(`/content/users/owner/items/${id}/parts`)).toEqual({ parts: [] });
    expect(await after.call(`/content/groups/${transportGroupId}`)).toMatchObject({ total: 13 });
    expect(await after.call('/search', { q: 'type:CSV' })).toMatchObject({ total: 0 });
    expect(again.world.portal.settings).toEqual({ portalConfigProperties: { sceneViewerEnabled: false } });
  });
});
