import type { GuardResult } from '../../../model/run/guard';
import type { Release } from '../../../portal/http/versions';
import { type ClassifiableItem, type Classification, classifyItem } from '../classify-item';
import { counted, named, pass, refuse, unknown } from './verdict';

/** An item of the source group with what the table says of it. */
export interface ClassifiedItem<T extends ClassifiableItem = ClassifiableItem> {
  readonly item: T;
  readonly classification: Classification;
}

export const classifyAll = <T extends ClassifiableItem>(
  items: readonly T[],
  release: Release | undefined,
  /** Why items are known to be left out, as by the route, by their ids. */
  leftOut: ReadonlyMap<string, string> = new Map(),
  /** The data of apps, by their ids. */
  appData: ReadonlyMap<string, unknown> = new Map(),
): ClassifiedItem<T>[] =>
  items.map((item) => {
    const reason = leftOut.get(item.id);
    const classification: Classification =
      reason === undefined
        ? classifyItem(item, release, appData.get(item.id))
        : { verdict: 'skipped', reason };
    return { item, classification };
  });

/** How an item is called in messages: its title, else its id. */
export const titleOf = (item: ClassifiableItem): string => item.title ?? item.id;

/** Every item asked for must be in the source group. */
export function requestedInGroup(requested: readonly string[], inGroup: ReadonlySet<string>): GuardResult {
  const name = 'requested items';
  const strangers = requested.filter((id) => !inGroup.has(id));
  if (strangers.length === 0)
    return pass(name, `${counted(requested.length, 'item')}, all in the source group`);
  return refuse(name, 'ITEM_NOT_IN_GROUP', {
    saw: `not in the source group: ${strangers.slice(0, 5).join(', ')}${more(strangers.length - 5)}`,
    needs: 'only items of the source group',
    todo: `Share ${strangers.length === 1 ? 'it' : 'them'} with the source group, or remove ${strangers.length === 1 ? 'it' : 'them'} from --items.`,
  });
}

const more = (count: number): string => (count > 0 ? ` and ${count} more` : '');

/**
 * Which items the portal will take, by type. What it skips is named and refused by nobody: the run goes
 * on without it. A type that the table does not know is a warning.
 */
export function exportableItems(items: readonly ClassifiedItem[]): GuardResult {
  const name = 'item types';
  const skipped = items.filter(({ classification }) => classification.verdict === 'skipped');
  const open = items.filter(({ classification }) => classification.verdict === 'unknown');
  const going = items.length - skipped.length;
  const left = skipped.length === 0 ? '' : `; skipped: ${[...byReason(skipped)].join('; ')}`;
  const saw = `${going} of ${counted(items.length, 'item')}${left}`;
  if (open.length === 0) return pass(name, saw);
  return unknown(name, {
    saw: `${saw}; unknown: ${[...byReason(open)].join('; ')}`,
    needs: 'types known to be exportable',
    todo: 'Nothing; the portal decides, and the record lists what it skips.',
  });
}

/** `type Dashboard cannot be exported ("Roads" and "Bridges")`, a line for each reason. */
function byReason(items: readonly ClassifiedItem[]): string[] {
  const titles = new Map<string, string[]>();
  for (const { item, classification } of items) {
    if (classification.verdict === 'exportable') continue;
    titles.set(classification.reason, [...(titles.get(classification.reason) ?? []), titleOf(item)]);
  }
  return [...titles].map(([reason, list]) => `${reason} (${named(list)})`);
}
