import { PortolanError } from '../model/errors/errors';

/** What is asked of a list that is answered page by page. */
interface Paging {
  /** @default all of it */
  readonly limit?: number;
  readonly cursor?: string;
}

/**
 * A page of a list, and the cursor of the next one. Throws `USAGE` for a cursor of another list.
 * @param cursorOf of what follows a row
 */
export function pageOf<T>(
  all: readonly T[],
  { limit = Infinity, cursor }: Paging,
  cursorOf: (row: T) => string,
): { readonly page: readonly T[]; readonly next?: string } {
  const from = cursor === undefined ? 0 : all.findIndex((row) => cursorOf(row) === cursor) + 1;
  if (cursor !== undefined && from === 0) throw noCursor();
  const page = all.slice(from, from + limit);
  const last = page.at(-1);
  return { page, next: last && from + limit < all.length ? cursorOf(last) : undefined };
}

/** The number that the cursor of a list holds. Throws `USAGE` for any other cursor. */
export function numberOfCursor(cursor: string | undefined): number | undefined {
  if (cursor === undefined) return undefined;
  if (!/^\d{1,15}$/.test(cursor)) throw noCursor();
  return Number(cursor);
}

export const noCursor = (): PortolanError =>
  new PortolanError('USAGE', 'cursor: is not a cursor of this list', { hint: 'Start without a cursor.' });
