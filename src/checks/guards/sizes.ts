import type { GuardResult } from '../../model/guard';
import { type ClassifiableItem } from '../classify-item';
import { type ClassifiedItem, titleOf } from './group-items';
import { bytesBeside, bytesText, counted, named, pass, refuse, unknown } from './verdict';

/** What is read of an item to weigh it. `size` is 0 or -1 for services: docs/portal-interface.md, "Items". */
export interface WeighableItem extends ClassifiableItem {
  readonly size?: number | null;
}

const going = (items: readonly ClassifiedItem<WeighableItem>[]): WeighableItem[] =>
  items.flatMap(({ item, classification }) => (classification.verdict === 'skipped' ? [] : [item]));

/** A service's size is told by nobody before it is exported, nor is that of a record without a size. */
const sizeOf = (item: WeighableItem): number | undefined =>
  item.type === 'Feature Service' || item.size === undefined || item.size === null || item.size < 0
    ? undefined
    : item.size;

/** Bytes of all items that tell their size: the least that a package of them weighs before compression. */
export const knownBytes = (items: readonly ClassifiedItem<WeighableItem>[]): number =>
  going(items).reduce((sum, item) => sum + (sizeOf(item) ?? 0), 0);

/** No single item may be larger than the limit; items without a size are the package guard's warning. */
export function itemsWithinLimit(
  items: readonly ClassifiedItem<WeighableItem>[],
  limitBytes: number,
): GuardResult {
  const name = 'item size';
  const weighed = going(items).flatMap((item) => {
    const bytes = sizeOf(item);
    return bytes === undefined ? [] : [{ item, bytes }];
  });
  const large = weighed.filter(({ bytes }) => bytes > limitBytes).sort((a, b) => b.bytes - a.bytes);
  const largest = large[0];
  if (largest === undefined) {
    const top = weighed.reduce((most, { bytes }) => Math.max(most, bytes), 0);
    return pass(name, `largest ${bytesText(top)}`);
  }
  return refuse(name, 'ITEM_TOO_LARGE', {
    saw: `${named(large.map(({ item }) => titleOf(item)))}: ${bytesBeside(largest.bytes, limitBytes)}${large.length > 1 ? ' the largest' : ''}`,
    needs: `items of at most ${bytesText(limitBytes)}`,
    todo: 'Take what is too large out of the group, or leave it out with --items.',
  });
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
  if (unweighed.length === 0) return pass(name, `about ${bytesText(bytes)}`);
  return unknown(name, {
    saw: `${bytesText(bytes)} of files, and ${counted(unweighed.length, 'item')} of size ?: ${named(unweighed.map(titleOf))}`,
    needs,
    todo: 'Nothing: the size of services is known once they are exported, and is checked then.',
  });
}
