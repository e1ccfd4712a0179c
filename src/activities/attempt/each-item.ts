import { REQUESTS_AT_A_TIME } from '../../portal/http/limiter';
import { mapLimited } from '../../model/map-limited';
import { WARNINGS_MAX } from '../../model/run/run-state';
import { lastError, lastProgress, progress } from './heartbeat';

/** What became of one of many items. */
export interface ItemEnd {
  /** The item is as desired, and was not before. @default false */
  readonly isDone?: boolean;
  /** What people should know about it. */
  readonly line?: string;
}

/** Reads or writes one thing of each item, and counts them. @param atATime how many items at a time */
export async function countEach<Item, End>(
  items: readonly Item[],
  act: (item: Item) => Promise<End>,
  atATime = REQUESTS_AT_A_TIME,
): Promise<End[]> {
  let done = 0;
  return await mapLimited(items, atATime, async (item) => {
    const end = await act(item);
    progress({ done: ++done, of: items.length });
    return end;
  });
}

/**
 * Acts on items, one after another. An error that retries cannot fix ends only its own item.
 * @param failed the result for an item that failed. @param atATime how many items at a time
 */
export async function eachItem<Item, End>(
  items: readonly Item[],
  act: (item: Item) => Promise<End>,
  failed: (item: Item, words: string) => End,
  atATime = 1,
): Promise<End[]> {
  const failing = (item: Item) => (thrown: unknown) => failed(item, lastError(thrown).plainMessage);
  return await countEach(items, (item) => act(item).catch(failing(item)), atATime);
}

/**
 * Acts on pages of items, and continues after the page that an earlier attempt finished last.
 * @param act called with the page, the index of its first item, and what counts its items
 */
export async function eachPage<Item>(
  items: readonly Item[],
  size: number,
  act: (page: readonly Item[], from: number, count: (done: number) => void) => Promise<void>,
): Promise<void> {
  for (let next = lastProgress<{ next: number }>().next ?? 0; next < items.length; next += size) {
    const page = items.slice(next, next + size);
    const [from, of] = [next, items.length];
    await act(page, from, (done) => progress({ next: from, done: from + done, of }));
    progress({ next: from + size, done: from + page.length, of });
  }
}

/** Counts of what was done, and the first lines. */
export function summaryOf(ends: readonly ItemEnd[]): {
  readonly done: number;
  readonly differing: string[];
  readonly notDone: number;
} {
  const lines = ends.flatMap(({ line }) => line ?? []);
  const done = ends.filter(({ isDone }) => isDone).length;
  return { done, differing: lines.slice(0, WARNINGS_MAX), notDone: lines.length };
}
