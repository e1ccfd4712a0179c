import { afterEach, describe, expect, it } from '@jest/globals';
import { transportGroupId, transportItems } from '../../src/simulator/seed/transport';
import { reasonToSkip } from '../../src/simulator/package/exportable';
import { Release } from '../../src/simulator/versions';
import { freeServerPort } from '../support/free-port';
import { Client, signIn, start, stopAll, type Fault } from './harness';

afterEach(stopAll);

type Started = Fault & { readonly jobId: string; readonly key: string };

const exportPath = (groupId: string): string => `/community/groups/${groupId}/export`;
const begin = (client: Client, groupId: string, params: Record<string, string> = {}): Promise<Started> =>
  client.call<Started>(exportPath(groupId), { async: 'true', ...params });

describe('the export of a group', () => {
  it('returns the package when synchronous with f=html, and HTTP 400 with f=json', async () => {
    const simulator = await start({ seed: 'transport' });
    const client = await signIn(simulator, 'owner');
    const items = { itemIdList: transportItems.csv };
    const file = await client.post(exportPath(transportGroupId), new URLSearchParams(items));
    expect(file.headers.get('content-type')).toBe('application/octet-stream');
    expect(
      Buffer.from(await file.arrayBuffer())
        .subarray(0, 2)
        .toString(),
    ).toBe('PK');
    const refused = await client.post(
      exportPath(transportGroupId),
      new URLSearchParams({ ...items, f: 'json' }),
    );
    expect(refused.status).toBe(400);
    expect(simulator.world.items.filter(({ type }) => type === 'Export Package')).toHaveLength(0);
  });

  it('ignores parameters of later versions', async () => {
    const titleAt = async (version: string): Promise<[string, string | null]> => {
      const client = await signIn(await start({ seed: 'transport', version }), 'owner');
      const job = await begin(client, transportGroupId, {
        itemIdList: transportItems.csv,
        outputFilename: 'nightly',
        exportContentFolder: 'Exports',
      });
      const { result } = await client.wait(job);
      const item = await client.call<{ title: string; ownerFolder: string | null }>(
        `/content/items/${result?.itemId ?? ''}`,
      );
      return [item.title, item.ownerFolder];
    };
    const [olderTitle, olderFolder] = await titleAt('11.2');
    expect(olderTitle).toMatch(/^Group_Data_/);
    expect(olderFolder).toBeNull();
    expect(await titleAt('11.3')).toEqual(['nightly.epk', null]);
    const [title, folder] = await titleAt('11.4');
    expect(title).toBe('nightly.epk');
    expect(folder).not.toBeNull();
  });

  it.each(['ArcPad Package', 'CityEngine Web Scene'])('skips %s from 10.9 on', (type) => {
    const isExported = (release: string) =>
      reasonToSkip({ type, typeKeywords: [] }, new Release(release)) === undefined;
    expect([isExported('10.8.1'), isExported('10.9')]).toEqual([true, false]);
  });
});

describe('a job of a simulated portal', () => {
  it('is `processing` for the configured polls, and ends with the configured status', async () => {
    const options = { seed: 'transport', jobPolls: 3, finalStatus: { export: 'succeeded' } };
    const simulator = await start(options);
    const client = await signIn(simulator, 'owner');
    const job = await begin(client, transportGroupId, { itemIdList: transportItems.csv });
    const record = await client.wait(job);
    expect(record.status).toBe('succeeded');
    expect(simulator.requests().filter(({ operation }) => operation === 'job').length).toBeGreaterThanOrEqual(
      4,
    );
  });

  it('continues after a restart of the portal', async () => {
    const first = await start({ seed: 'transport', jobMs: 60_000, port: await freeServerPort() });
    const client = await signIn(first, 'owner');
    const job = await begin(client, transportGroupId, { itemIdList: transportItems.csv });
    await first.close();
    const again = await start({ state: first.world.stateFolder, jobMs: 0 });
    expect(again.url).toBe(first.url);
    const after = new Client(again, client.token);
    // The pool of connections may still hold one that the first portal closed.
    await after.call('/portals/self').catch(() => undefined);
    const record = await after.wait(job);
    expect(record.status).toBe('completed');
    expect(again.world.items.filter(({ type }) => type === 'Export Package')).toHaveLength(1);
  });

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
