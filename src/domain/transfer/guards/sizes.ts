import { bytesText } from '../../../model/text/bytes-text';
import type { GuardResult } from '../../../model/run/guard';
import type { ClassifiableItem, Classification } from '../classify-item';
import { type ClassifiedItem, titleOf } from './group-items';
import { bytesBeside, counted, named, pass, refuse, unknown } from './verdict';

/** What is read of an item to weigh it. `size` is 0 or -1 for services: docs/reference/portal-interface.md, "Items". */
export interface WeighableItem extends ClassifiableItem {
  readonly size?: number | null;
}

const judged = (
  items: readonly ClassifiedItem<WeighableItem>[],
  verdict: Classification['verdict'],
): WeighableItem[] =>
  items.flatMap(({ item, classification }) => (classification.verdict === verdict ? [item] : []));

/** What an export is known to take; what it may leave out refuses nothing by its size. */
const going = (items: readonly ClassifiedItem<WeighableItem>[]): WeighableItem[] =>
  judged(items, 'exportable');

/** A service's size is told by nobody before it is exported, nor is that of a record without a size. */
const sizeOf = (item: WeighableItem): number | undefined =>
  item.type === 'Feature Service' || item.size === undefined || item.size === null || item.size < 0
    ? undefined
    : item.size;

/** Bytes of all items that are sure to go and tell their size: the least that a package of them weighs before compression. */
export const knownBytes = (items: readonly ClassifiedItem<WeighableItem>[]): number =>
  going(items).reduce((sum, item) => sum + (sizeOf(item) ?? 0), 0);

/** No single item may be larger than the limit; items without a size are the package guard's warning. */
export function itemsWithinLimit(
  items: readonly ClassifiedItem<WeighableItem>[],
  limitBytes: number,
): GuardResult {
  const name = 'item size';
  const needs = `items of at most ${bytesText(limitBytes)}`;
  const weighed = weigh(going(items));
  const large = tooLarge(weighed, limitBytes);
  if (large !== undefined) {
    return refuse(name, 'ITEM_TOO_LARGE', {
      saw: large,
      needs,
      todo: 'Take what is too large out of the group, or leave it out with --items.',
    });
  }
  const doubtful = tooLarge(weigh(judged(items, 'unknown')), limitBytes);
  if (doubtful !== undefined) {
    return unknown(name, {
      saw: `${doubtful}, if the export takes it`,
      needs,
      todo: 'Nothing if the export leaves it out; else take it out of the group, or leave it out with --items.',
    });
  }
  const top = weighed.reduce((most, { bytes }) => Math.max(most, bytes), 0);
  return pass(name, `largest ${bytesText(top)}`);
}

interface Weighed {
  readonly item: WeighableItem;
  readonly bytes: number;
}

const weigh = (items: readonly WeighableItem[]): Weighed[] =>
  items.flatMap((item) => {
    const bytes = sizeOf(item);
    return bytes === undefined ? [] : [{ item, bytes }];
  });

/** Which items are over the limit, in words; `undefined` where none is. */
function tooLarge(weighed: readonly Weighed[], limitBytes: number): string | undefined {
  const large = weighed.filter(({ bytes }) => bytes > limitBytes).sort((a, b) => b.bytes - a.bytes);
  const [largest] = large;
  if (largest === undefined) return undefined;
  const most = `${bytesBeside(largest.bytes, limitBytes)}${large.length > 1 ? ' the largest' : ''}`;
  return `${named(large.map(({ item }) => titleOf(item)))}: ${most}`;
}

/**
 * The package that is about to be made, as far as sizes are known. Hosted services weigh what their data
 * weighs, which no one tells beforehand: `?`.
 */
export function packageEstimate(
  items: readonly ClassifiedItem<WeighableItem>[],
  limitBytes: number,
): GuardResult {
  const name = 'package size';
  const needs = `a package of at most ${bytesText(limitBytes)}`;
  const bytes = knownBytes(items);
  const unweighed = going(items).filter((item) => sizeOf(item) === undefined);
  if (bytes > limitBytes) {
    return refuse(name, 'PACKAGE_TOO_LARGE', {
      saw: `the files alone weigh ${bytesBeside(bytes, limitBytes)}`,
      needs,
      todo: 'Sync the group in pieces with --items.',
    });
  }
  const doubtful = judged(items, 'unknown');
  if (unweighed.length === 0 && doubtful.length === 0) return pass(name, `about ${bytesText(bytes)}`);
  const parts = [
    `${bytesText(bytes)} of files`,
    ...(unweighed.length > 0
      ? [`${counted(unweighed.length, 'item')} of size ?: ${named(unweighed.map(titleOf))}`]
      : []),
    ...(doubtful.length > 0
      ? [`${counted(doubtful.length, 'item')} that the export may leave out: ${named(doubtful.map(titleOf))}`]
      : []),
  ];
  return unknown(name, {
    saw: parts.join(', and '),
    needs,
    todo: 'Nothing: the size of the package is known once it is exported, and is checked then.',
  });
}
