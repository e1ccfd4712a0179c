import type { MappedFigures } from '../../model/release/reference-map';
import type { FieldChange } from '../../model/run/run';
import { shortened } from '../../model/text/plain-text';
import { type Block, tableOf } from '../../model/text/sheet';
import { countOf } from '../../model/text/words';

/** Longer values are cut here, but not in the JSON. @format characters */
const VALUE_MAX = 200;

/** Values that differ, one per row. @param heads name the two sides */
export const changesTable = (
  changes: readonly FieldChange[],
  [before, after]: readonly [string, string] = ['Now', 'New'],
): Block =>
  tableOf(changes, [
    ['Field', ({ path }) => path],
    [before, (change) => valueText(change.before)],
    [after, (change) => valueText(change.after)],
  ]);

/** A value in one line; a hyphen if it is not set. */
function valueText(value: unknown): string {
  if (value === undefined || value === null) return '-';
  return shortened(typeof value === 'string' ? value : JSON.stringify(value), VALUE_MAX);
}

/** What the map of a stage replaces, with examples. */
export const mappedTable = ({ places, items, unknown, examples }: MappedFigures): Block =>
  tableOf(
    examples,
    [
      ['Item', ({ itemId, title = itemId }) => title],
      ['Field', ({ path }) => path],
      ['Before', ({ before }) => before],
      ['After', ({ after }) => after],
    ],
    {
      title: `map: ${countOf(places, 'URL or ID', 'URLs and IDs')} in ${countOf(items, 'item')}${
        unknown > 0 ? `; ${countOf(unknown, 'more item')} cannot be checked before the import` : ''
      }`,
    },
  );
