import type {
  HeldItemView,
  ItemComparison,
  ItemHistory,
  ItemState,
  ItemVersionView,
} from '../../contract/items';
import {
  bad,
  type Columns,
  faint,
  listed,
  notice,
  type Sheet,
  tableOf,
  type Value,
} from '../../model/text/sheet';
import { countOf, countWords, itemSizeWords, quoted } from '../../model/text/words';
import type { Change } from '../../model/transfer/change';
import { changeSheet, fieldLine } from '../run/change-sheet';

/** What a list shows of each item, besides its title. */
export const itemColumns: Columns<HeldItemView> = [
  ['Type', ({ type }) => type],
  ['Owner', ({ owner }) => owner ?? '?'],
  ['Portal', ({ portal }) => portal],
  ['Size', ({ size }) => itemSizeWords(size)],
  ['Backups', ({ snapshots }) => snapshots],
  ['Last backup', ({ newest }) => ({ time: newest.takenAt })],
  ['Gone since', ({ gone }) => gone && notice({ time: gone.at })],
];

type Named = Pick<ItemHistory, 'itemId' | 'type' | 'title' | 'owner' | 'portal'>;

const itemFacts = ({ itemId, type, title, owner, portal }: Named): [string, Value][] => [
  ['item', [`${itemId}  ${quoted(title)}  `, faint(type)]],
  ['portal', portal],
  ['owner', owner],
];

/** What is known of an item, whichever version. */
export const historyFacts = (history: Omit<ItemHistory, 'notes'>): [string, Value][] => [
  ...itemFacts(history),
  ['gone since', history.gone && [notice({ time: history.gone.at }), ` (${history.gone.snapshot})`]],
];

/** The versions of an item that differ. */
export const historySheet = (history: Omit<ItemHistory, 'notes'>): Sheet => [
  { facts: historyFacts(history) },
  tableOf(history.versions, [
    ['Since', ({ at }) => ({ time: at })],
    ['Changed', ({ change }) => (change ? shortened(changeLines(change)) : 'first version')],
    ['Size', ({ size }) => itemSizeWords(size)],
    ['Snapshots', snapshotsOf],
  ]),
];

/** Lines of a change in a table. */
const LINES_MAX = 3;

const shortened = (lines: readonly string[]): string => {
  const rest = lines.length - LINES_MAX;
  return (rest > 1 ? [...lines.slice(0, LINES_MAX), countOf(rest, 'more change')] : lines).join('; ');
};

/** Each line of a change: `layer "Roads" visibility: true -> false`. */
export function changeLines({ kind, fields, more = 0, why }: Change): string[] {
  return [
    ...fields.map(fieldLine),
    ...(more > 0 ? [countOf(more, 'more change')] : []),
    ...(kind === 'unknown' ? [`could not be compared: ${why ?? '?'}`] : []),
  ];
}

/** The snapshot from which a version is restored: the newest that has it whole. Undefined if none has. */
export const restorableFrom = ({
  snapshots,
}: ItemVersionView): ItemVersionView['snapshots'][number] | undefined =>
  snapshots.find(({ saved, damaged }) => saved !== 'no' && damaged === undefined);

/** Why a version cannot be restored. */
export const whyNotRestorable = ({ snapshots: [newest] }: ItemVersionView): string =>
  newest?.damaged ?? newest?.reason ?? 'it was not saved';

function snapshotsOf(version: ItemVersionView): Value {
  const from = restorableFrom(version);
  const more = version.snapshots.length - 1;
  return listed(
    from?.id ?? version.snapshots[0]?.id,
    more > 0 && faint(`${countWords(more)} more`),
    !from && bad(whyNotRestorable(version)),
  );
}

const sideOf = ({ id = 'live', at }: ItemComparison['before']): Value => [`${id}, `, { time: at }];

/** What changed inside an item. */
export const comparisonSheet = (comparison: ItemComparison): Sheet => [
  {
    facts: [
      ...itemFacts(comparison),
      ['before', sideOf(comparison.before)],
      ['after', sideOf(comparison.after)],
      ['result', comparison.change.kind === 'same' ? 'no difference' : undefined],
    ],
  },
  ...changeSheet([comparison]),
];

/** An item as a snapshot holds it. */
export function stateSheet({ snapshot, row, content, ...item }: ItemState): Sheet {
  const { details = {}, data, unread } = content ?? {};
  const text = (name: string): string | undefined => {
    const value = details[name];
    return typeof value === 'string' && value !== '' ? value : undefined;
  };
  return [
    {
      facts: [
        ...itemFacts(item),
        ['snapshot', [`${snapshot.id} of ${snapshot.route}, taken `, { time: snapshot.takenAt }]],
        ['sharing', text('access')],
        ['modified', row.modified === undefined ? undefined : { time: row.modified }],
        ['size', itemSizeWords(row.size)],
        ['summary', text('snippet')],
        ['layers', row.layers?.map(({ name, count = '?' }) => `${name} (${count} rows)`).join(', ')],
        ['saved', row.saved === 'no' ? notice(`no: ${row.reason ?? '?'}`) : row.saved],
        ['JSON', unread === undefined ? (content ? jsonWords(data) : 'not kept') : notice(unread)],
      ],
    },
  ];
}

const jsonWords = (data: unknown): string =>
  typeof data === 'object' && data !== null ? `data with ${Object.keys(data).join(', ')}` : 'details';
