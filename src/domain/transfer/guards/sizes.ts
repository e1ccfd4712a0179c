import { bytesText } from '../../../model/text/bytes-text';
import type { GuardResult } from '../../../model/run/guard';
import type { RequestedItem } from '../../../model/transfer/requested';
import type { ClassifiableItem, Classification } from '../classify-item';
import { partition } from '../partition';
import { bytesOf, goesSurely, mayGo, toldSize, weighted, weightOf } from '../weights';
import { type ClassifiedItem, titleOf } from './group-items';
import { bytesBeside, counted, named, pass, refuse, unknown } from './verdict';

/** What is read of an item to weigh it. */
export interface WeighableItem extends ClassifiableItem {
  readonly size?: number | null;
}

/** What an export is known to take; what it may leave out refuses nothing by its size. */
const judged = (
  items: readonly ClassifiedItem<WeighableItem>[],
  verdict: Classification['verdict'],
): WeighableItem[] =>
  items.flatMap(({ item, classification }) => (classification.verdict === verdict ? [item] : []));

/** No single item may be larger than the limit; items without a size are the package guard's warning. */
export function itemsWithinLimit(
  items: readonly ClassifiedItem<WeighableItem>[],
  limitBytes: number,
): GuardResult {
  const name = 'item size';
  const needs = `items of at most ${bytesText(limitBytes)}`;
  const weighed = weigh(judged(items, 'exportable'));
  const large = tooLarge(weighed, limitBytes);
  if (large !== undefined) {
    return refuse(name, 'ITEM_TOO_LARGE', {
      saw: large,
      needs,
      todo: 'Remove the large items from the group, or omit them with --items.',
    });
  }
  const doubtful = tooLarge(weigh(judged(items, 'unknown')), limitBytes);
  if (doubtful !== undefined) {
    return unknown(name, {
      saw: `${doubtful}, if exported`,
      needs,
      todo: 'Nothing if the export skips it. Otherwise remove it from the group, or omit it with --items.',
    });
  }
  const top = weighed.reduce((most, { bytes }) => Math.max(most, bytes), 0);
  return pass(name, `largest ${bytesText(top)}`);
}

interface Weighed {
  readonly title: string;
  readonly bytes: number;
}

const weigh = (items: readonly WeighableItem[]): Weighed[] =>
  items.flatMap((item) => {
    const bytes = toldSize(item);
    return bytes === undefined ? [] : [{ title: titleOf(item), bytes }];
  });

/** Which items are over the limit, in words; `undefined` where none is. */
function tooLarge(weighed: readonly Weighed[], limitBytes: number): string | undefined {
  const large = weighed.filter(({ bytes }) => bytes > limitBytes).sort((a, b) => b.bytes - a.bytes);
  const [largest] = large;
  if (largest === undefined) return undefined;
  const most = `${bytesBeside(largest.bytes, limitBytes)}${large.length > 1 ? ' the largest' : ''}`;
  return `${named(large.map(({ title }) => title))}: ${most}`;
}

/**
 * The packages that are about to be made, as far as weights are known: of what goes, without what stays where it is. A
 * group that is too large for one goes in several, and only an item that is too large for any is refused. Hosted services
 * weigh what their data weighs, which nobody tells before one of their packages has shown it: `?`.
 */
export function packageEstimate(requested: readonly RequestedItem[], limitBytes: number): GuardResult {
  const name = 'package size';
  const needs = `a package of at most ${bytesText(limitBytes)}`;
  const going = goesSurely(requested);
  const weights = going.map((item) => ({ title: item.title, bytes: weightOf(item) ?? 0 }));
  const large = tooLarge(weights, limitBytes);
  if (large !== undefined) {
    const isTold = going.every(
      (item) => (weightOf(item) ?? 0) <= limitBytes || (toldSize(item) ?? 0) > limitBytes,
    );
    return refuse(name, 'PACKAGE_TOO_LARGE', {
      saw: isTold ? large : `${large}, judging by earlier packages`,
      needs,
      todo: `Remove the large items from the group, or omit them with --items.${isTold ? '' : ' If they have become smaller, sync once with --full.'}`,
    });
  }
  const bytes = bytesText(bytesOf(going));
  const count = partition(weighted(mayGo(requested)), new Map(), limitBytes).length;
  const packages = count > 1 ? ` in ${count} packages` : '';
  const unweighed = going.filter((item) => weightOf(item) === undefined);
  const doubtful = mayGo(requested).filter(({ doubt }) => doubt !== undefined);
  if (unweighed.length === 0 && doubtful.length === 0)
    return { ...pass(name, `about ${bytes}${packages}`), isNews: count > 1 || undefined };
  const isRemembered = going.some((item) => item.bytes !== undefined);
  const parts = [
    `${bytes} ${isRemembered ? 'known' : 'of files'}${packages}`,
    ...(unweighed.length > 0
      ? [
          `${counted(unweighed.length, 'item')} of unknown size: ${named(unweighed.map(({ title }) => title))}`,
        ]
      : []),
    ...(doubtful.length > 0
      ? [
          `${counted(doubtful.length, 'item')} that the export may skip: ${named(doubtful.map(({ title }) => title))}`,
        ]
      : []),
  ];
  return unknown(name, {
    saw: parts.join(', and '),
    needs,
    todo: 'Nothing; the size of a package is known after the export, and a package that is too large is split.',
  });
}
