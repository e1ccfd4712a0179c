import { Command } from '@commander-js/extra-typings';
import type { SnapshotDetail, SnapshotView } from '../../../contract/snapshots';
import {
  isPackaged,
  packagesIn,
  type SnapshotBase,
  type SnapshotManifest,
  type SnapshotRow,
} from '../../../model/snapshot/snapshot';
import { bad, listed, notice, type Sheet, tableOf, type Value } from '../../../model/text/sheet';
import {
  bytesText,
  countOf,
  countWords,
  durationWords,
  endWords,
  itemSizeWords,
  quoted,
} from '../../../model/text/words';
import { itemsOf, stateOf } from '../../../service/snapshot/snapshot-sheets';
import { act } from '../../terminal/act';
import { argumentHelp } from '../../terminal/arguments';
import { examples } from '../../terminal/help';

/** `portolan snapshot show`: everything known about a snapshot, with its items. */
export const snapshotShowCommand = () =>
  new Command('show')
    .description('Show a snapshot and each of its items.')
    .addHelpText(...examples('latest:transport', 'k7q2 -o json'))
    .argument('<snapshot>', argumentHelp.snapshot)
    .action(
      act(async ({ portolan, output }, snapshot) => {
        const detail = await portolan.readSnapshot({ snapshot });
        const { snapshotView } = await import('../../../service/snapshot/snapshot-view.js');
        const { pin, proofs, confirmed, problems, items: _items, ...manifest } = detail;
        const view = snapshotView({ manifest, pin, proofs, confirmed, problems }, Date.now());
        output.show(detail, () => snapshotSheet(detail, view));
      }),
    );

/** A snapshot, its later history, and its items. */
function snapshotSheet(
  { pin, proofs, confirmed, problems, items: rows, ...manifest }: SnapshotDetail,
  view: SnapshotView,
): Sheet {
  const { id, route, source, runId, tags, since, imported } = manifest;
  const hasSeveral = packagesIn(manifest).length > 1;
  return [
    {
      facts: [
        ['snapshot', id],
        ['state', stateOf(view)],
        ['route', `${route}: ${endWords(source)}`],
        ['portal', listed(source.url, source.version)],
        [
          'taken',
          listed({ time: view.takenAt }, `${durationWords(view.ageMs)} ago`, [
            'committed ',
            { time: manifest.createdAt },
          ]),
        ],
        ['clock', view.ahead && notice('dated in the future; it is kept, and no rule counts it')],
        ['run', listed({ run: runId, whole: true }, view.scheduledBy && `by schedule ${view.scheduledBy}`)],
        ['items', [itemsOf(view), ' saved']],
        ...packageFacts(manifest, rows),
        ['parent', since && sinceWords(since)],
        ['tags', tags.join(', ') || undefined],
        ['pinned', pin && listed({ time: pin.at }, pin.who, pin.reason)],
        [
          'unchanged',
          confirmed && listed(['until ', { time: confirmed.at }], { run: confirmed.runId, whole: true }),
        ],
        [
          'imported',
          imported && listed({ time: imported.at }, `signed with key ${imported.keySha256.slice(0, 16)}`),
        ],
        ['proven', proofs.length === 0 ? 'never' : undefined],
        ...proofs.map(({ level, at, portal, runId: by, items }): [string, Value] => [
          'proven',
          listed({ time: at }, `${level} on ${portal}`, countOf(items, 'item'), { run: by, whole: true }),
        ]),
        ...problems.map((problem): [string, Value] => ['problem', bad(problem)]),
      ],
    },
    tableOf(
      rows,
      [
        ['Item', ({ itemId }) => itemId],
        ['Type', ({ type }) => type],
        ['Title', ({ title }) => title],
        ['Size', ({ size }) => itemSizeWords(size)],
        ['Modified', ({ modified }) => (modified === undefined ? '?' : { time: modified })],
        ['Saved', (row) => savedWords(row, hasSeveral)],
        ['Layers', layersOf],
      ],
      { empty: 'No items.' },
    ),
  ];
}

/** Each package; if there are several, with its number of items. */
function packageFacts(
  manifest: SnapshotManifest,
  rows: readonly SnapshotRow[],
): (readonly [string, string])[] {
  const packages = packagesIn(manifest);
  if (packages.length === 0) return [['package', 'none']];
  const [only] = packages.length === 1 ? packages : [];
  if (only) return [['package', `${bytesText(only.sizeBytes)}, sha256 ${only.sha256}`]];
  return packages.map(({ sizeBytes, sha256 }, index) => {
    const items = rows.filter((row) => isPackaged(row) && (row.package ?? 0) === index).length;
    return [`package ${index + 1}`, `${bytesText(sizeBytes)}, ${countOf(items, 'item')}, sha256 ${sha256}`];
  });
}

const sinceWords = ({ id, full, changed, removed }: SnapshotBase): Value => [
  `${id}: ${countOf(changed, 'item')} exported since, ${countWords(removed.length)} removed`,
  full.id === id ? undefined : ['; last full ', { time: full.at }, `, ${full.id}`],
];

/** How an item is saved (if there are several packages, in which one), or why it is not. */
function savedWords(row: SnapshotRow, hasSeveral: boolean): string {
  const where = hasSeveral && isPackaged(row) ? ` ${(row.package ?? 0) + 1}` : '';
  return row.reason === undefined ? `${row.saved}${where}` : `${row.saved}: ${row.reason}`;
}

/** Each layer with its rows and last edit; `?` if unknown. */
function layersOf({ hosted, layers }: SnapshotRow): Value {
  if (!layers?.length) return hosted ? '?' : undefined;
  return layers.map(({ layerId, name, count, lastEditDate }, at): Value => [
    `${at > 0 ? '; ' : ''}${layerId} ${quoted(name)} ${count === undefined ? '?' : countWords(count)} rows, edited `,
    lastEditDate === undefined ? '?' : { time: lastEditDate },
  ]);
}
