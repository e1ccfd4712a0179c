import { rm } from 'node:fs/promises';
import { folderNamed, folderOf, visibleGroup } from '../access';
import { badRequest, noResource, PortalFault } from '../errors';
import { writable, type Call } from '../http/call';
import { json, type Reply } from '../http/reply';
import { write, type Route } from '../http/router';
import { reasonToSkip } from '../package/exportable';
import type { Entry, ExportRequest, GroupRecord, ItemRecord, UserRecord } from '../state/records';
import { entryOnWire } from '../wire';
import { deleteItemNow } from '../item-records';
import { ownerOrAdministrator } from './groups';

/** Export of a group's items into a package (docs/reference/portal-interface.md, "Export"). */
export const groupExportRoutes: readonly Route[] = [
  write('group.export', '/portal/sharing/rest/community/groups/:groupId/export', exportGroup),
];

/** Export and import exist on ArcGIS Enterprise from 10.8.1. @throws PortalFault 404 */
export function transferExists({ settings }: Call): void {
  if (settings.deployment !== 'self-managed' || !settings.release.atLeast('10.8.1')) throw noResource();
}

async function exportGroup(call: Call): Promise<Reply> {
  transferExists(call);
  const { params, settings } = call;
  const group = visibleGroup(call, call.path['groupId'] ?? '');
  const user = ownerOrAdministrator(call, group);
  writable(call);
  const sorted = sortItems(call, group);
  const entries = (some: readonly Entry[]): unknown[] => some.map((entry) => entryOnWire(settings, entry));
  const preview = settings.release.atLeast('11.4') && params.flag('previewOnly') === true;
  const atOnce = sorted.items.length === 0 && settings.withoutPackage === 'none';
  if (atOnce || preview) {
    return json({
      itemsExported: sorted.items.map(({ id }) => ({ itemId: id })),
      itemsSkipped: entries(sorted.skipped),
      itemsFailedExport: entries(sorted.failed),
    });
  }
  const request: ExportRequest = {
    kind: 'export',
    itemIds: sorted.items.map(({ id }) => id),
    skipped: sorted.skipped,
    failed: sorted.failed,
    title: titleOf(call),
    folderId: folderIdOf(call, user),
  };
  const asynchronous = !settings.exportAtOnce && (params.flag('async') ?? false);
  const job = call.jobs.start(group, user, request);
  if (asynchronous) return json({ jobId: job.jobId, key: job.key });
  await job.done;
  return synchronous(call, job.jobId);
}

/** `f=html` returns the package itself; `f=json` cannot, and gets HTTP 400. */
async function synchronous(call: Call, jobId: string): Promise<Reply> {
  const { world, params, settings } = call;
  const outcome = call.jobs.outcome(jobId);
  const item = world.items.get(String(outcome?.result?.['itemId'] ?? ''));
  if (!outcome?.ok || !item)
    throw new PortalFault(500, world.jobs.get(jobId)?.messages.at(-1) ?? 'Export failed.');
  const f = params.text('f')?.toLowerCase() ?? 'html';
  if (f !== 'html') {
    if (!settings.exportAtOnce) await deleteItemNow(world, item);
    throw new PortalFault(400, 'The package cannot be returned as JSON.', { httpStatus: 400 });
  }
  return {
    kind: 'stream',
    status: 200,
    headers: {
      'content-type': 'application/octet-stream',
      'content-length': item.size,
      'content-disposition': `attachment; filename="${item.name ?? 'export.epk'}"`,
    },
    open: () => {
      const stream = world.files.readData(item);
      stream.once('close', () => {
        world.items.remove(item.id);
        void rm(world.files.dataPath(item.id), { force: true });
      });
      return stream;
    },
  };
}

interface Sorted {
  readonly items: ItemRecord[];
  readonly skipped: Entry[];
  readonly failed: Entry[];
}

/** Sorts the desired items into exported, skipped and failed ones, with reasons. */
function sortItems(call: Call, group: GroupRecord): Sorted {
  const { world, params, settings } = call;
  const desired = params.list('itemIdList');
  const inGroup = world
    .itemsIn(group.id)
    .filter((item) => item.deletedAt === undefined && item.type !== 'Export Package');
  const sorted: Sorted = { items: [], skipped: [], failed: [] };
  for (const id of desired ?? []) {
    if (!inGroup.some((item) => item.id === id)) {
      sorted.failed.push({ itemId: id, reason: 'The item is not in the group.' });
    }
  }
  for (const item of inGroup.filter(({ id }) => desired?.includes(id) ?? true)) {
    const reason = reasonToSkip(item, settings.release);
    if (reason !== undefined) sorted.skipped.push({ itemId: item.id, reason });
    else if (item.size > settings.maxItemBytes) {
      sorted.failed.push({
        itemId: item.id,
        reason: `The item exceeds the limit of ${settings.maxItemBytes} bytes.`,
      });
    } else if (settings.failExport.includes(item.id)) {
      sorted.failed.push({ itemId: item.id, reason: 'The item could not be exported.' });
    } else sorted.items.push(item);
  }
  return sorted;
}

/** `outputFilename` exists from 11.3; older portals ignore it. */
function titleOf({ params, settings, world }: Call): string {
  const given = settings.release.atLeast('11.3') ? params.text('outputFilename') : undefined;
  return `${given ?? defaultName(new Date(world.now()))}.epk`;
}

function defaultName(at: Date): string {
  const time = [at.getHours(), at.getMinutes(), at.getSeconds()].map((part) => String(part).padStart(2, '0'));
  return `Group_Data_${at.getFullYear()}${at.getMonth() + 1}${at.getDate()}_${time.join('')}`;
}

/** Both folder parameters exist from 11.4. */
function folderIdOf({ world, params, settings }: Call, user: UserRecord): string | null {
  if (settings.packageFolder !== undefined)
    return folderNamed(world, user.username, settings.packageFolder).id;
  if (!settings.release.atLeast('11.4')) return null;
  const id = params.text('exportContentFolderId');
  const title = params.text('exportContentFolder');
  if (id !== undefined) return folderOf(world, user.username, id)?.id ?? null;
  if (title !== undefined && title.length > 250) throw badRequest('The folder title is too long.');
  return title === undefined ? null : folderNamed(world, user.username, title).id;
}
