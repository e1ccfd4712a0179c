import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createHash, randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import {
  addPackageItem,
  addPart,
  commit,
  listParts,
  readItemStatus,
  startMultipart,
} from '../../src/portal/resources/items/add-item';
import { readCategorySchema } from '../../src/portal/resources/category-schema';
import { Portal, type PortalAuth } from '../../src/portal/client';
import { downloadItemData } from '../../src/portal/resources/items/download';
import { createFolder, deleteFolder, listFolders } from '../../src/portal/resources/folders';
import { exportGroup } from '../../src/portal/resources/group-export';
import { importGroup, previewImport } from '../../src/portal/resources/group-import';
import { groupContentPages, readGroup } from '../../src/portal/resources/groups';
import { readPreviewPage } from '../../src/portal/resources/import-preview';
import {
  deleteItem,
  findItem,
  readItem,
  readItemGroups,
  readItemText,
} from '../../src/portal/resources/items/items';
import { updateItem } from '../../src/portal/resources/items/update-item';
import { searchItems, userContentPages } from '../../src/portal/resources/listings';
import { type Job, readJob } from '../../src/portal/resources/jobs';
import { countFeatures, readLayer, readService } from '../../src/portal/resources/layers';
import { readContentDisk } from '../../src/portal/resources/machines';
import { readSelf, readServers } from '../../src/portal/resources/portals';
import { readSettings, writeSettings } from '../../src/portal/resources/settings';
import { readTaskRun, readTaskRuns, updateTaskRun } from '../../src/portal/resources/tasks';
import { type StartedJob } from '../../src/portal/http/transfer-answer';
import { type Release, releaseOf } from '../../src/portal/http/versions';
import { emptyGroupId } from '../../src/simulator/seed/seeds';
import {
  transportGroupId,
  transportItems,
  transportTargetGroupId,
  transportTask,
} from '../../src/simulator/seed/transport';
import { builtInUsers } from '../../src/simulator/seed/users';
import { type Simulator, startSimulator } from '../../src/simulator/simulator';
import { failureOf } from './raw-portal';

/** Everything against simulated portals, once as they are and once answering only what is documented. */
describe.each([
  ['as it is', {}],
  [
    'with strict answers, redirects and no length',
    { strict: true, redirect: true, noLength: true, noRange: true },
  ],
])('a simulated portal %s', (_title, options) => {
  let folder: string;
  let source: Simulator;
  let target: Simulator;
  const clients: Portal[] = [];

  const connect = (simulator: Simulator, user: keyof typeof builtInUsers, auth?: PortalAuth): Portal => {
    const { username, password } = builtInUsers[user];
    const secret = () => Promise.resolve(password);
    const { name } = simulator.settings;
    const portal = new Portal({
      name,
      url: simulator.url,
      auth: auth ?? { type: 'password', username, secret },
    });
    clients.push(portal);
    return portal;
  };

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'portolan-portal-'));
    const start = (name: string, version: string, seed: string) =>
      startSimulator({
        name,
        version,
        seed,
        state: join(folder, name),
        jobPolls: 1,
        commitLagMs: 0,
        searchLagMs: 0,
        ...options,
      });
    source = await start('staging', '11.2', 'transport');
    target = await start('production', '11.4', 'transport-target');
  });

  afterAll(async () => {
    await Promise.all(clients.map((client) => client.close()));
    await Promise.all([source?.close(), target?.close()]);
    await rm(folder, { recursive: true, force: true });
  });

  const releaseAt = async (portal: Portal): Promise<Release | undefined> => releaseOf(await readSelf(portal));

  const ended = async (portal: Portal, { jobId, key }: StartedJob): Promise<Job> => {
    const { id } = await readSelf(portal);
    for (;;) {
      const job = await readJob(portal, id, jobId, { key });
      if (job.phase !== 'running') return job;
    }
  };

  const jobOf = (outcome: { kind: string }): StartedJob => {
    if (outcome.kind !== 'job') throw new Error(`${outcome.kind} came in place of a job`);
    return outcome as StartedJob;
  };

  const packed = async (portal: Portal, itemIdList: string[]): Promise<{ itemId: string; bytes: Buffer }> => {
    const started = await exportGroup(portal, transportGroupId, {
      itemIdList,
      async: true,
      version: await releaseAt(portal),
    });
    const job = await ended(portal, jobOf(started));
    const itemId = String((job.result as Record<string, unknown>)['itemId']);
    const { body } = await downloadItemData(portal, itemId, { from: 0 });
    return { itemId, bytes: await buffer(body) };
  };

  it('says who is signed in, and which release it is', async () => {
    const portal = connect(source, 'owner');
    expect((await readSelf(portal)).user?.username).toBe('owner');
    expect((await releaseAt(portal))?.text).toBe('11.2');
    expect((await releaseAt(connect(target, 'admin')))?.text).toBe('11.4');
  });

  it('carries items from group to group for an owner who is no administrator', async () => {
    const [from, to] = [connect(source, 'owner'), connect(target, 'owner')];
    const desired = [transportItems.csv, transportItems.pdf];
    const { itemId, bytes } = await packed(from, desired);
    const again = await downloadItemData(from, itemId, { from: 100 });
    const rest = await buffer(again.body);
    expect(rest.equals(bytes.subarray(again.startsAt))).toBe(true);
    expect((await readItem(from, itemId)).size).toBe(bytes.length);

    const version = await releaseAt(to);
    const id = randomUUID().replaceAll('-', '');
    const added = await addPackageItem(to, {
      username: 'owner',
      title: 'package',
      tags: ['portolan', 'run-1'],
      filename: 'package.epk',
      itemIdToCreate: id,
      version,
      file: { size: bytes.length, open: (start, end) => Readable.from([bytes.subarray(start, end)]) },
    });
    expect(added.id).toBe(id);

    const outcome = await previewImport(to, transportTargetGroupId, {
      itemId: id,
      overwriteExistingItems: true,
      version,
    });
    expect(outcome.kind).toBe('preview');
    const rows: string[] = [];
    for (let start = 1; start > 0;) {
      const page = await readPreviewPage(to, transportTargetGroupId, id, { start, num: 1 });
      rows.push(...page.results.map((row) => row.id));
      start = page.nextStart ?? -1;
    }
    expect(rows.sort()).toEqual([...desired].sort());

    const request = { itemId: id, overwriteExistingItems: true, async: true, version };
    const job = await ended(to, jobOf(await importGroup(to, transportTargetGroupId, request)));
    expect(job).toMatchObject({ phase: 'succeeded', result: { itemsImported: expect.any(Array) } });
    expect(await findItem(to, id)).toBeUndefined();
    const inGroup: string[] = [];
    for await (const page of groupContentPages(to, transportTargetGroupId))
      inGroup.push(...page.map((each) => each.id));
    expect(inGroup).toEqual(expect.arrayContaining(desired));
    expect((await readItemGroups(to, transportItems.csv)).admin.map((each) => each.id)).toContain(
      transportTargetGroupId,
    );

    expect(await deleteItem(from, { owner: 'owner', itemId, permanent: true })).toBe('deleted');
    expect(await deleteItem(from, { owner: 'owner', itemId, permanent: true })).toBe('absent');
  });

  it('takes a package in parts', async () => {
    const portal = connect(target, 'owner');
    const bytes = Buffer.alloc(11_000_000, 'portolan');
    const file = {
      size: bytes.length,
      open: (start: number, end: number) => Readable.from([bytes.subarray(start, end)]),
    };
    const item = { username: 'owner', title: 'parts', tags: ['portolan'], filename: 'parts.epk' };
    const { id: itemId } = await startMultipart(portal, { ...item, version: await releaseAt(portal) });
    const address = { username: 'owner', itemId };
    expect((await readItemStatus(portal, address)).phase).toBe('partial');
    const half = 5_500_000;
    await Promise.all([
      addPart(portal, { ...address, partNum: 2, file, start: half }),
      addPart(portal, { ...address, partNum: 1, file, end: half }),
    ]);
    expect(await listParts(portal, address)).toEqual([1, 2]);
    await commit(portal, { ...item, ...address });
    while ((await readItemStatus(portal, address)).phase !== 'completed')
      await new Promise((resolve) => setTimeout(resolve, 20));
    const { body } = await downloadItemData(portal, itemId, { from: 0 });
    const sha256 = (data: Buffer) => createHash('sha256').update(data).digest('hex');
    expect(sha256(await buffer(body))).toBe(sha256(bytes));
    await deleteItem(portal, { owner: 'owner', itemId, permanent: true });
  });

  it('lets an owner arrange folders, tags and listings', async () => {
    const portal = connect(source, 'owner');
    const title = `Folder ${randomUUID()}`;
    const { folder: made, created } = await createFolder(portal, { username: 'owner', title });
    expect(created).toBe(true);
    expect(await createFolder(portal, { username: 'owner', title })).toMatchObject({
      created: false,
      folder: { id: made.id },
    });
    expect((await listFolders(portal, 'owner')).map((each) => each.id)).toContain(made.id);
    expect(await deleteFolder(portal, { username: 'owner', folderId: made.id })).toBe('deleted');
    await updateItem(portal, {
      owner: 'owner',
      itemId: transportItems.csv,
      fields: { tags: ['roads', 'new'] },
    });
    expect((await readItem(portal, transportItems.csv)).tags).toEqual(['roads', 'new']);
    const owned: string[] = [];
    for await (const page of userContentPages(portal, 'owner'))
      owned.push(...page.items.map((each) => each.id));
    expect(owned).toContain(transportItems.csv);
    const found: string[] = [];
    for await (const page of searchItems(portal, 'owner:owner type:"CSV"'))
      found.push(...page.map((each) => each.id));
    expect(found).toContain(transportItems.csv);
    expect(
      JSON.parse((await readItemText(portal, transportItems.map, { maxBytes: 1e6 })) ?? 'null'),
    ).toHaveProperty('operationalLayers');
  });

  it('answers counts of hosted layers', async () => {
    const portal = connect(source, 'owner');
    const { url = '' } = await readItem(portal, transportItems.roads);
    const service = await readService(portal, url);
    const [layer] = service.layers;
    expect(await countFeatures(portal, url, layer?.id ?? -1)).toBeGreaterThan(0);
    expect((await readLayer(portal, url, layer?.id ?? -1)).name).toBe(layer?.name);
  });

  it('tells an administrator of servers, disk, settings, schema and tasks', async () => {
    const portal = connect(target, 'admin');
    const { id = '' } = await readSelf(portal);
    expect((await readServers(portal, id)).length).toBeGreaterThan(0);
    const disk = { version: await releaseAt(portal) };
    expect((await readContentDisk(portal, disk))?.usableGB).toBe(200);
    expect(await readContentDisk(connect(target, 'owner'), disk)).toBeUndefined();
    const informationalBanner = { text: 'Soon', bgColor: 'red', fontColor: 'white', enabled: true };
    await writeSettings(portal, id, { informationalBanner }, { version: await releaseAt(portal) });
    expect(await readSettings(portal, id)).toMatchObject({ informationalBanner });
    expect(Array.isArray(await readCategorySchema(portal, id))).toBe(true);

    const { taskId, runId } = transportTask;
    const owner = connect(target, 'owner');
    const run = { username: 'owner', taskId, runId };
    await updateTaskRun(owner, { ...run, status: 'succeeded', result: 'done' });
    expect((await readTaskRuns(owner, run)).map((each) => each.runId)).toContain(runId);
    expect(await readTaskRun(owner, run)).toMatchObject({ status: 'succeeded', result: 'done' });
    await updateTaskRun(owner, { ...run, status: 'failed', result: '3 items failed' });
    expect(await readTaskRun(owner, run)).toMatchObject({ status: 'failed', result: '3 items failed' });
  });

  it('names what is missing and who may not', async () => {
    const portal = connect(source, 'viewer');
    const version = await releaseAt(portal);
    expect(await failureOf(readGroup(portal, emptyGroupId))).toMatchObject({ code: 'GROUP_NOT_FOUND' });
    expect(await failureOf(readItem(portal, emptyGroupId))).toMatchObject({ code: 'ITEM_NOT_FOUND' });
    expect(await failureOf(exportGroup(portal, transportGroupId, { async: true, version }))).toMatchObject({
      code: 'PERMISSION_DENIED',
    });
    const wrong = connect(source, 'owner', {
      type: 'password',
      username: 'owner',
      secret: () => Promise.resolve('wrong'),
    });
    expect(await failureOf(readSelf(wrong))).toMatchObject({ code: 'CREDENTIALS_REFUSED' });
  });
});
