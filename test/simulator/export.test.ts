import { afterEach, describe, expect, it } from '@jest/globals';
import { bigGroupId, emptyGroupId, unsupportedGroupId } from '../../src/simulator/seed/seeds';
import { transportGroupId, transportItems } from '../../src/simulator/seed/transport';
import { SeedBuilder } from '../../src/simulator/seed/build';
import { reasonToSkip } from '../../src/simulator/package/exportable';
import { Release } from '../../src/simulator/versions';
import { freeServerPort } from '../support/free-port';
import { Client, signIn, start, stopAll, type Fault } from './harness';

afterEach(stopAll);

interface Lists extends Fault {
  readonly itemsExported: readonly { itemId: string }[];
  readonly itemsSkipped: readonly { itemId: string }[];
  readonly itemsFailedExport: readonly { itemId: string }[];
}
type Started = Fault & { readonly jobId: string; readonly key: string };

const exportPath = (groupId: string): string => `/community/groups/${groupId}/export`;
const begin = (client: Client, groupId: string, params: Record<string, string> = {}): Promise<Started> =>
  client.call<Started>(exportPath(groupId), { async: 'true', ...params });

describe('the export of a group', () => {
  it('answers job and key when asynchronous, and the job names the package, its owner and its content', async () => {
    const client = await signIn(await start({ seed: 'transport', version: '11.2' }), 'owner');
    const job = await begin(client, transportGroupId);
    const record = await client.wait(job);
    expect(record).toMatchObject({
      id: job.jobId,
      status: 'completed',
      definition: { type: 'export', groupId: transportGroupId, groupTitle: 'Transport' },
    });
    expect(record.definition['operationId']).toMatch(/^[0-9a-f]{32}$/);
    const lists = JSON.parse(record.messages.at(-1)?.replace('Exported: ', '') ?? '') as Lists;
    expect(lists.itemsExported).toHaveLength(11);
    expect(lists.itemsSkipped.map(({ itemId }) => itemId).sort()).toEqual(
      [transportItems.dashboard, transportItems.view].sort(),
    );
    const item = await client.call(`/content/items/${record.result?.itemId ?? ''}`);
    expect(item).toMatchObject({
      type: 'Export Package',
      typeKeywords: ['Export Package', 'epk'],
      owner: 'owner',
    });
  });

  it('has its lists in the result of the job as well, on portals that do so', async () => {
    const simulator = await start({ seed: 'transport', exportLists: true });
    const client = await signIn(simulator, 'owner');
    const { messages, result } = await client.wait(await begin(client, transportGroupId));
    const { itemId, ...rest } = result as Lists & { itemId: string; created: number };
    expect(simulator.world.items.has(itemId)).toBe(true);
    expect(rest).toMatchObject(JSON.parse(messages.at(-1)?.replace('Exported: ', '') ?? '') as Lists);
    expect([rest.itemsExported.length, rest.itemsSkipped.length]).toEqual([11, 2]);
  });

  it('answers the package itself when synchronous with f=html, and HTTP 400 with f=json', async () => {
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

  it('answers lists in place of a job where nothing can be exported', async () => {
    const empty = await signIn(await start({ seed: 'empty' }), 'owner');
    expect(await begin(empty, emptyGroupId)).toEqual({
      itemsExported: [],
      itemsSkipped: [],
      itemsFailedExport: [],
    });
    const unsupported = await signIn(await start({ seed: 'unsupported-only', strict: true }), 'owner');
    expect(await begin(unsupported, unsupportedGroupId)).toEqual({
      itemsExported: [],
      itemsSkipped: [
        { itemId: 'e1000000000000000000000000000001' },
        { itemId: 'e1000000000000000000000000000002' },
      ],
      itemsFailedExport: [],
    });
    const failing = await signIn(await start({ seed: 'big', seedBytes: 2 * 1024 ** 3 }), 'owner');
    const lists = await failing.call<Lists>(exportPath(bigGroupId), { async: 'true' });
    expect(lists.itemsFailedExport).toHaveLength(1);
    expect(lists).not.toHaveProperty('jobId');
  });

  it('takes lists of items with spaces, JSON-quoted and capital booleans, and empty text as absent', async () => {
    const client = await signIn(await start({ seed: 'transport' }), 'owner');
    const job = await begin(client, transportGroupId, {
      itemIdList: `${transportItems.csv}, ${transportItems.pdf}`,
      async: '"True"',
      outputFilename: '',
    });
    const { result } = await client.wait(job);
    const item = await client.call<{ title: string }>(`/content/items/${result?.itemId ?? ''}`);
    expect(item.title).toMatch(/^Group_Data_\d+_\d{6}\.epk$/);
    const refused = await begin(client, transportGroupId, { async: 'maybe' });
    expect(refused.error).toMatchObject({ code: 400 });
  });

  it('is for the group’s owner and full administrators; others do not learn that a private group exists', async () => {
    const simulator = await start({ seed: 'transport' });
    const items = { itemIdList: transportItems.csv };
    for (const who of ['owner', 'admin'] as const) {
      expect(await begin(await signIn(simulator, who), transportGroupId, items)).toHaveProperty('jobId');
    }
    for (const who of ['viewer', 'custom'] as const) {
      expect(await begin(await signIn(simulator, who), transportGroupId, items)).toMatchObject({
        error: { code: 403 },
      });
    }
    const other = await signIn(simulator, 'other');
    expect(await begin(other, transportGroupId)).toEqual(await begin(other, '0'.repeat(32)));
    expect(await begin(other, transportGroupId)).toMatchObject({
      error: { message: 'Group does not exist or is inaccessible.' },
    });
  });

  it('gives newer parameters a meaning only where the version has them', async () => {
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

  it('fails for want of disk space, and for a package that would be too large, in words', async () => {
    const simulator = await start({ seed: 'transport', freeGb: 9 });
    const client = await signIn(simulator, 'owner');
    const short = await client.wait(await begin(client, transportGroupId));
    expect(short).toMatchObject({ status: 'failed' });
    expect(short.messages.at(-1)).toContain('Not enough disk space');
    simulator.settings.freeGb = 10;
    simulator.settings.maxPackageBytes = 1024 * 1024;
    const large = await client.wait(await begin(client, transportGroupId));
    expect(large).toMatchObject({ status: 'failed' });
    expect(large).not.toHaveProperty('result');
    expect(large.messages.at(-1)).toContain('exceeds the limit');
  });

  it('works in a Shared-updates group', async () => {
    const simulator = await start({ seed: 'transport' });
    simulator.world.groups.change(transportGroupId, { capabilities: ['updateitemcontrol'] });
    const client = await signIn(simulator, 'owner');
    expect((await client.wait(await begin(client, transportGroupId))).status).toBe('completed');
  });

  it('knows each type from the release on that brought it, and no service that is not hosted', () => {
    const at = (release: string, type: string, ...typeKeywords: string[]): boolean =>
      reasonToSkip({ type, typeKeywords }, new Release(release)) === undefined;
    expect(at('10.9.1', 'StoryMap')).toBe(false);
    expect(at('11.0', 'StoryMap')).toBe(true);
    expect(at('11.0', 'Web Experience')).toBe(false);
    expect(at('11.1', 'Web Experience')).toBe(true);
    expect(at('10.9', 'Web Mapping Application', 'Instant Apps')).toBe(false);
    expect(at('10.9.1', 'Web Mapping Application', 'Instant Apps')).toBe(true);
    expect(at('11.4', 'Feature Service')).toBe(false);
    expect(at('11.4', 'Feature Service', 'Hosted Service')).toBe(true);
    for (const keyword of ['View Service', 'Spatiotemporal', 'Service Proxy']) {
      expect(at('11.4', 'Feature Service', 'Hosted Service', keyword)).toBe(false);
    }
    expect(at('11.4', 'Notebook')).toBe(false);
    for (const type of ['ArcPad Package', 'CityEngine Web Scene']) {
      expect([at('10.8.1', type), at('10.9', type)]).toEqual([true, false]);
    }
  });
});

describe('a job of a simulated portal', () => {
  it('is `processing` for as many look-ups as configured, and ends with the configured word', async () => {
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

  it('is shown to who has its key, and to administrators without; under the portal’s id or `self`', async () => {
    const simulator = await start({ seed: 'transport' });
    const owner = await signIn(simulator, 'owner');
    const admin = await signIn(simulator, 'admin');
    const { jobId, key } = await begin(owner, transportGroupId, { itemIdList: transportItems.csv });
    const path = `/portals/0123456789ABCDEF/jobs/${jobId}`;
    expect(await admin.call(path)).toMatchObject({ id: jobId });
    expect(await owner.call(path)).toMatchObject({ error: { code: 403 } });
    expect(await owner.call(path, { key: 'wrong' })).toMatchObject({ error: { code: 403 } });
    expect(await owner.call(path, { key })).toMatchObject({ id: jobId });
    expect(await owner.call(`/portals/self/jobs/${jobId}`, { key })).toMatchObject({ id: jobId });
    expect(await owner.call(`/portals/other/jobs/${jobId}`, { key })).toMatchObject({ error: { code: 404 } });
    expect(await admin.call('/portals/self/jobs/none')).toMatchObject({ error: { code: 404 } });
  });

  it('goes on when the portal was closed in the middle of it and started again', async () => {
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

  it('is gone, as are tokens and parts, after an upgrade in place, which searches notice until they are indexed', async () => {
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

  it('fails with the messages of what went wrong', async () => {
    const simulator = await start({ seed: 'transport' });
    new SeedBuilder(simulator.world).item({
      id: '1'.repeat(32),
      title: 'Lost',
      type: 'CSV',
      groups: [transportGroupId],
      size: 5000,
      data: { kind: 'file' },
    });
    const client = await signIn(simulator, 'owner');
    const record = await client.wait(await begin(client, transportGroupId, { itemIdList: '1'.repeat(32) }));
    expect(record.status).toBe('failed');
    expect(record.messages.at(-1)).toContain('Internal error');
  });
});
