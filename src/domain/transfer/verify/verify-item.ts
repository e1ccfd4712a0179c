import type { Verification } from '../../../model/transfer/verification';
import { PortolanError } from '../../../model/errors/errors';
import type { Item } from '../../../portal/resources/items/item';
import { dataAnswers, findItem } from '../../../portal/resources/items/items';
import { reasonOf } from '../retry';
import { isHostedService } from '../classify-item';
import { countHostedLayers, type LayerCount } from '../layers';
import { readContent } from '../references/item-content';
import { holdsReferences } from '../item-types';
import type { ItemContent } from '../references/references';
import { mapLimited } from '../../../model/map-limited';
import { REQUESTS_AT_A_TIME } from '../../../portal/http/limiter';
import { joinVerifications, Sheet } from './verification';
import type { VerifyContext } from './verify-context';
import { type ExpectedPlacement, verifyPlacement } from './verify-placement';
import { verifyReferences } from './verify-references';

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
  const sheet = new Sheet(expected.itemId, expected.title);
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
  sheet: Sheet,
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

function verifyRecord(context: VerifyContext, expected: ExpectedItem, item: Item, sheet: Sheet): void {
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

async function verifyDataAndReferences(context: VerifyContext, item: Item, sheet: Sheet): Promise<void> {
  const { target, retryOnTarget, options } = context;
  let content: ItemContent = { item };
  try {
    if (holdsReferences(item.type ?? '')) {
      const read = await readContent(target, item, options, retryOnTarget);
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
async function verifyEmpty({ origin }: VerifyContext, item: Item, sheet: Sheet): Promise<void> {
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
  sheet: Sheet,
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
