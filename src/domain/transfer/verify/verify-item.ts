import { PortolanError } from '../../../model/errors/errors';
import { dataAnswers, findItem } from '../../../portal/resources/items/items';
import { reasonOf } from '../retry';
import type { Item } from '../../../portal/resources/items/item';
import { type Placement, ROOT_FOLDER } from '../../../model/transfer/placement';
import { lostGroups, type PlacedNow, type PlacementField, placementDifferences } from '../placements';
import { FindingsBuilder, type VerifyContext, joinVerifications } from './verification';
import type { Verification } from '../../../model/transfer/verification';
import { isHostedService, holdsReferences } from '../classify-item';
import { countHostedLayers, type LayerCount } from '../layers';
import { readDocuments, type ItemDocuments } from '../references/content';
import { mapLimited } from '../../../model/map-limited';
import { REQUESTS_AT_A_TIME } from '../../../portal/http/limiter';
import { verifyReferences } from './verify-references';

/** How an item is to be placed: as before the import, or as the run that created it was to place it. */
export interface ExpectedPlacement {
  readonly placement: Placement;
  /** The import created it. */
  readonly isNew: boolean;
}

/** Compares an item's placement with the expected one. */
async function verifyPlacement(
  { places, listed, targetGroupId, retryOnTarget }: VerifyContext,
  expected: ExpectedPlacement,
  item: Item,
  sheet: FindingsBuilder,
): Promise<void> {
  // Some portals name the folder only in the record, others only in a group's listing.
  const told = { ...item, ownerFolder: item.ownerFolder || listed.get(item.id)?.ownerFolder };
  const { placement, isNew } = expected;
  // The listing of the target group shows whether it holds a new item.
  const further = placement.groups?.filter((groupId) => groupId !== targetGroupId);
  const desired = isNew ? { ...placement, groups: further?.length ? further : undefined } : placement;
  const failed = new Map<PlacementField, string>();
  const now = await places.read(told, desired, async (field, read) => {
    try {
      return await retryOnTarget(read);
    } catch (thrown) {
      failed.set(field, reasonOf(thrown));
      return undefined;
    }
  });
  reportPlacement({ placement: desired, isNew }, now, item, sheet, { targetGroupId, failed });
}

interface Reported {
  readonly targetGroupId: string;
  /** Why values could not be read. @default all were read */
  readonly failed?: ReadonlyMap<PlacementField, string>;
}

const placementFields = ['owner', 'access', 'folder', 'groups', 'thumbnail', 'protection'] as const;

const pathOf = (field: PlacementField): string =>
  `item.${field === 'folder' ? 'ownerFolder' : field === 'protection' ? 'protected' : field}`;

/** Reports how an item's placement differs, and what of it is unknown. */
export function reportPlacement(
  { placement: desired, isNew }: ExpectedPlacement,
  now: PlacedNow,
  { thumbnail }: Item,
  sheet: FindingsBuilder,
  { targetGroupId, failed }: Reported,
): void {
  const differences = placementDifferences(desired, now);
  const check = (field: Exclude<PlacementField, 'groups'>, value: string | undefined, hint: string): void => {
    if (differences[field] === 'differs')
      sheet.find(`${field}-differs`, { path: pathOf(field), value, hint });
  };
  check('owner', now.owner, `Change its owner to ${desired.owner}.`);
  check('access', now.access, `Set its sharing level to ${desired.access}.`);
  const moveIt = `Move it to ${folderName(desired)} of its owner.`;
  check('folder', now.folder, moveIt);
  // It could not be created.
  if (desired.folder === undefined && desired.folderTitle !== undefined)
    sheet.find('folder-differs', { path: pathOf('folder'), hint: moveIt });
  check(
    'protection',
    String(now.protected ?? false),
    `Turn its delete protection ${desired.protected ? 'on' : 'off'}.`,
  );
  check('thumbnail', thumbnail, 'Set the thumbnail that its snapshot holds.');
  const isOther = (groupId: string): boolean => groupId !== targetGroupId;
  const gained = desired.groups && now.groups?.filter((id) => !desired.groups?.includes(id));
  for (const [groupIds, hint] of [
    [lostGroups(desired, now), 'Share it again with group'],
    [gained ?? [], 'Remove it from group'],
  ] as const)
    for (const value of groupIds.filter(isOther))
      sheet.find('groups-differ', { path: pathOf('groups'), value, hint: `${hint} ${value}.` });
  const untold = isNew ? [] : untoldBefore(desired, now);
  for (const field of placementFields) {
    const is = field === 'groups' ? 'are' : 'is';
    const path = pathOf(field);
    if (untold.includes(field)) sheet.notChecked(`its ${field} before the import ${is} unknown`, { path });
    else if (differences[field] === 'unknown')
      sheet.notChecked(failed?.get(field) ?? `its ${field} ${is} unknown`, { path });
  }
}

/** What was not reported before the import. A folder that is never reported is the root, or another user's. */
const untoldBefore = (before: Placement, now: PlacedNow): PlacementField[] =>
  placementFields.filter((field) =>
    field === 'folder'
      ? before.folder === undefined && now.folder !== undefined && now.folder !== ROOT_FOLDER
      : (field === 'owner' || field === 'access' || field === 'groups') && before[field] === undefined,
  );

const folderName = ({ folder, folderTitle }: Placement): string => {
  if (folder === ROOT_FOLDER) return 'the root folder';
  return folderTitle === undefined ? `folder ${folder}` : `the folder "${folderTitle}"`;
};

/** Expected state of an imported item on the target. */
export interface ExpectedItem {
  readonly itemId: string;
  readonly type?: string;
  readonly title?: string;
  /** Absent for a new item that the run was not to place. */
  readonly placed?: ExpectedPlacement;
  /** For a hosted service: row counts of the source at export; absent if it did not respond. */
  readonly layers?: readonly LayerCount[];
}

/**
 * Checks one imported item on the target: type, title, group, placement, data, rows and references.
 * @throws PortolanError where a portal is out of reach or does not let us in; a question about the item that gets no
 * answer is a remark instead
 */
export async function verifyItem(context: VerifyContext, expected: ExpectedItem): Promise<Verification> {
  const sheet = new FindingsBuilder(expected.itemId, expected.title);
  const item = await readTargetItem(context, expected, sheet);
  if (item === undefined) return sheet.end();

  verifyRecord(context, expected, item, sheet);
  if (expected.placed !== undefined) await verifyPlacement(context, expected.placed, item, sheet);
  await verifyDataAndReferences(context, item, sheet);
  if (expected.layers !== undefined || isHostedService(item))
    await verifyLayers(context, expected.layers, item, sheet);
  return sheet.end();
}

/** Checks items, a few at a time; `onItem` is called after each, for a heartbeat. */
export async function verifyAll(
  context: VerifyContext,
  expected: readonly ExpectedItem[],
  onItem?: (done: number, of: number) => void,
): Promise<Verification> {
  let done = 0;
  const parts = await mapLimited(expected, REQUESTS_AT_A_TIME, async (each) => {
    const part = await verifyItem(context, each);
    done += 1;
    onItem?.(done, expected.length);
    return part;
  });
  return joinVerifications(parts);
}

async function readTargetItem(
  context: VerifyContext,
  expected: ExpectedItem,
  sheet: FindingsBuilder,
): Promise<Item | undefined> {
  const { target, retryOnTarget, options } = context;
  try {
    const item = await retryOnTarget(() => findItem(target, expected.itemId, options));
    if (item === undefined) {
      sheet.find('missing', {
        hint: `${target.name} does not have the item. Read the message of its import job.`,
      });
    }
    return item;
  } catch (thrown) {
    sheet.notChecked(reasonOf(thrown), { path: 'item' });
    return undefined;
  }
}

function verifyRecord(
  context: VerifyContext,
  expected: ExpectedItem,
  item: Item,
  sheet: FindingsBuilder,
): void {
  const { target } = context;
  if (expected.type !== undefined && item.type !== expected.type) {
    sheet.find('type-differs', {
      path: 'item.type',
      value: item.type,
      hint: `It is ${expected.type} on the source; on ${target.name} another item has this ID.`,
    });
  }
  if (expected.title !== undefined && item.title !== expected.title) {
    sheet.find('title-differs', {
      path: 'item.title',
      value: item.title,
      hint: `It is "${expected.title}" on the source. Rename it if that matters.`,
    });
  }
  if (!context.listed.has(item.id)) {
    sheet.find('not-in-group', { hint: `Share the item with the target group on ${target.name}.` });
  }
}

async function verifyDataAndReferences(
  context: VerifyContext,
  item: Item,
  sheet: FindingsBuilder,
): Promise<void> {
  const { target, retryOnTarget, options } = context;
  let content: ItemDocuments = { item };
  try {
    if (holdsReferences(item.type ?? '')) {
      const read = await readDocuments(target, item, options, retryOnTarget);
      for (const { path, reason } of read.unread) sheet.notChecked(reason, { path });
      if (read.empty) await verifyEmpty(context, item, sheet);
      content = read.content;
    } else {
      const { sizeSeen } = await retryOnTarget(() => dataAnswers(target, item.id, options));
      if (sizeSeen === 0) await verifyEmpty(context, item, sheet);
    }
  } catch (thrown) {
    if (saysNoData(thrown)) await verifyEmpty(context, item, sheet);
    else sheet.notChecked(reasonOf(thrown), { path: 'data' });
  }
  await verifyReferences(context, item.id, content, sheet);
}

/** Empty data is a finding if the source's is not empty: apps and services may have none. */
async function verifyEmpty({ origin }: VerifyContext, item: Item, sheet: FindingsBuilder): Promise<void> {
  const path = 'data';
  try {
    const sizeSeen = await origin.dataSize(item.id);
    if (sizeSeen === 0) return;
    if (sizeSeen === undefined) {
      sheet.notChecked(`it is empty, and ${origin.name} does not report the size of its own`, { path });
    } else {
      sheet.find('no-data', {
        path,
        hint: 'The item has no data. Sync it again with --overwrite.',
      });
    }
  } catch (thrown) {
    if (!saysNoData(thrown)) {
      sheet.notChecked(`it is empty, and ${origin.name} does not respond: ${reasonOf(thrown)}`, { path });
    }
  }
}

/** Responses that mean: the item has no data. */
const noData: ReadonlySet<string> = new Set(['ITEM_NOT_FOUND', 'NOT_FOUND', 'BAD_REQUEST']);

const saysNoData = (thrown: unknown): boolean => noData.has(PortolanError.from(thrown).code);

/**
 * A hosted service must have as many rows in each layer and table as the source counted at export. A missing count
 * on either side is "not checked", never passed.
 */
async function verifyLayers(
  context: VerifyContext,
  expected: readonly LayerCount[] | undefined,
  item: Item,
  sheet: FindingsBuilder,
): Promise<void> {
  const { origin: source, target, retryOnTarget, options } = context;
  if (expected === undefined) {
    sheet.notChecked(`${source.name} did not count its rows at export`, { path: 'item.url' });
    return;
  }
  const counted = await countHostedLayers(target, item, { ...options, retry: retryOnTarget });
  if (counted === undefined) {
    sheet.notChecked(`the service does not respond on ${target.name}`, { path: 'item.url', value: item.url });
    return;
  }
  for (const layer of expected) {
    const path = `layers[${layer.layerId}]`;
    const here = counted.find(({ layerId }) => layerId === layer.layerId);
    if (here === undefined) {
      sheet.find('count-differs', {
        path,
        value: 'missing',
        hint: `"${layer.name}" is missing from the service on ${target.name}.`,
      });
    } else if (layer.count === undefined) {
      sheet.notChecked(
        `"${layer.name}" was not counted on ${source.name}: ${layer.reason ?? 'no response'}`,
        {
          path,
        },
      );
    } else if (here.count === undefined) {
      sheet.notChecked(
        `"${layer.name}" returned no count on ${target.name}: ${here.reason ?? 'no response'}`,
        {
          path,
        },
      );
    } else if (here.count === layer.count) {
      sheet.counted(here.count);
    } else {
      const hint = `"${layer.name}" has ${layer.count} rows on ${source.name}. Import its data again with --overwrite --data replace.`;
      sheet.find('count-differs', { path, value: String(here.count), hint });
    }
  }
}
