import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { addPackageItem } from '../../src/portal/resources/items/add-item';
import { downloadItemData } from '../../src/portal/resources/items/download';
import { type ExportRequest, exportGroup } from '../../src/portal/resources/group-export';
import { type ImportRequest, importGroup } from '../../src/portal/resources/group-import';
import { type Job, readJob } from '../../src/portal/resources/jobs';
import type { FileSource } from '../../src/portal/http/request';
import {
  exportListsInMessages,
  resultListsIn,
  packageItemIn,
  type StartedJob,
} from '../../src/portal/http/transfer-answer';
import type { Holding, Planted, Site, User } from './site';
import type { World } from './world';

/** Starts an export that has something to do. */
export async function startExport(
  site: Site,
  groupId: string,
  more: Partial<ExportRequest> = {},
  user: User = 'owner',
): Promise<StartedJob> {
  const started = await exportGroup(site.as(user), groupId, { async: true, version: site.version, ...more });
  if (started.kind !== 'job') throw new Error(`no job came but ${started.kind}`);
  return started;
}

/** An export's job at its end, however it ended. */
export const exported = async (
  site: Site,
  groupId: string,
  more?: Partial<ExportRequest>,
  user: User = 'owner',
): Promise<Job> => ended(site, await startExport(site, groupId, more, user), user);

const idsIn = (entries: readonly { itemId?: string }[] = []) => entries.flatMap(({ itemId }) => itemId ?? []);

/** Ids that the job's lists name. */
export function listsOf(job: Job): { exported: string[]; skipped: string[]; failed: string[] } {
  const lists = exportListsInMessages(job.messages);
  return { exported: idsIn(lists?.done), skipped: idsIn(lists?.skipped), failed: idsIn(lists?.failed) };
}

export function importedBy(job: Job): { imported: string[]; skipped: string[]; failed: string[] } {
  const lists = resultListsIn(job.result, 'Import');
  return { imported: idsIn(lists?.done), skipped: idsIn(lists?.skipped), failed: idsIn(lists?.failed) };
}

export async function ended(site: Site, { jobId, key }: StartedJob, user: User = 'owner'): Promise<Job> {
  for (;;) {
    const job = await readJob(site.as(user), site.orgId, jobId, { key });
    if (job.phase !== 'running') return job;
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}

/** The item of the package that an export has made. */
export function packageOf(job: Job): string {
  const id = packageItemIn(job.result);
  if (!id) throw new Error(`there is no package: ${job.status} ${job.messages.join(' ')}`);
  return id;
}

export async function downloaded(site: Site, itemId: string, user: User = 'owner'): Promise<Buffer> {
  const { body } = await downloadItemData(site.as(user), itemId, { from: 0 });
  return buffer(body);
}

export const fileOf = (bytes: Buffer): FileSource => ({
  size: bytes.length,
  open: (start, end) => Readable.from([bytes.subarray(start, end)]),
});

/** Adds a package as an item of `owner`. @returns its id */
export async function uploaded(site: Site, bytes: Buffer): Promise<string> {
  const { id } = await addPackageItem(site.as('owner'), {
    username: 'owner',
    title: 'Package',
    tags: ['epk'],
    filename: 'package.epk',
    version: site.version,
    file: fileOf(bytes),
  });
  return id;
}

/** Exports a group of one portal and adds the package to another. @returns the package's id there */
export async function brought(from: Site, to: Site, { groupId }: Pick<Holding, 'groupId'>): Promise<string> {
  const job = await exported(from, groupId);
  return uploaded(to, await downloaded(from, packageOf(job)));
}

/** An import's job at its end, however it ended. */
export async function imported(
  site: Site,
  groupId: string,
  itemId: string,
  more: Partial<ImportRequest> = {},
  user: User = 'owner',
): Promise<Job> {
  const request = { itemId, overwriteExistingItems: false, async: true, version: site.version, ...more };
  const started = await importGroup(site.as(user), groupId, request);
  if (started.kind !== 'job') throw new Error(`no job came but ${started.kind}`);
  return ended(site, started, user);
}

/** The import job that copies a group's items into an empty group of another portal. */
export const carried = async (from: Site, to: Site, holding: Holding): Promise<Job> =>
  imported(to, (await to.plant()).groupId, await brought(from, to, holding));

export const csv = { type: 'CSV' };

/** A package of some items on a portal that has none of them, and an empty group there, into which to bring it. */
export async function packed(world: World, items: readonly Planted[] = [csv, csv], version?: string) {
  const [from, to] = [await world.at(version), await world.receiving(version)];
  const { ids, ...holding } = await from.plant(items);
  const packageId = await brought(from, to, holding);
  const { groupId, title } = await to.plant();
  const bring = (more?: Partial<ImportRequest>, user?: User) => imported(to, groupId, packageId, more, user);
  return { from, to, ids, packageId, groupId, title, bring };
}
