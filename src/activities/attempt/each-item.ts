import { mapLimited } from '../../model/map-limited';
import { WARNINGS_MAX } from '../../model/run/warnings';
import { lastError, lastProgress, progress } from './heartbeat';

/** What became of one of many items. */
export interface ItemEnd {
  /** The item is as desired, and was not before. @default false */
  readonly isDone?: boolean;
  /** What people should know about it. */
  readonly line?: string;
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
  let done = 0;
  return await mapLimited(items, atATime, async (item) => {
    const end = await act(item).catch((thrown: unknown) => failed(item, lastError(thrown).plainMessage));
    progress({ ...lastProgress<object>(), done: ++done, of: items.length });
    return end;
  });
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
