import { oneLine } from '../../../model/text/plain-text';
import type { FieldChange } from '../../../model/run/run';
import { columns } from '../../terminal/columns';
import type { Style } from '../../terminal/style';

/** Longer values are cut here, but not in the JSON. */
const VALUE_LENGTH = 60;

/** A value in one line; a hyphen if it is not set. */
export function valueWords(value: unknown): string {
  if (value === undefined || value === null) return '-';
  const text = oneLine(typeof value === 'string' ? value : JSON.stringify(value));
  return text.length > VALUE_LENGTH ? `${text.slice(0, VALUE_LENGTH - 2)}..` : text;
}

/** Values that differ, one a line; `heads` names the two sides. */
export const differencesTable = (
  changes: readonly FieldChange[],
  style: Style,
  heads: readonly [string, string] = ['NOW', 'NEW'],
): string =>
  columns(
    ['FIELD', ...heads],
    changes.map(({ path, before, after }) => [oneLine(path), valueWords(before), valueWords(after)]),
    style,
  );
