import type { FieldChange } from '../../model/run/run';

/** How many changes a record or plan lists, and the longest value of one. The store has all. */
const LISTED_MAX = 30;
const VALUE_MAX = 200;

/** The first changes, with long values cut, for records and plans. */
export const listedChanges = (changes: readonly FieldChange[]): FieldChange[] =>
  changes
    .slice(0, LISTED_MAX)
    .map(({ path, before, after }) => ({ path, before: cut(before), after: cut(after) }));

function cut(value: unknown): unknown {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
  return text.length > VALUE_MAX ? `${text.slice(0, VALUE_MAX - 2)}..` : value;
}
