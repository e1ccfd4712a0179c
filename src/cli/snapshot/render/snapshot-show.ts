import { oneLine } from '../../../model/text/plain-text';
import type { SnapshotRow } from '../../../model/snapshot/snapshot';
import type { KnownSnapshot } from '../../../domain/snapshot/list-snapshots';
import type { SnapshotView } from '../snapshot-view';
import { columns } from '../../terminal/columns';
import { agoWords, itemWords, stateWords } from './snapshot-list';
import type { Style } from '../../terminal/style';
import { countWords, endWords, itemSizeWords, labelled, quoted, timeWords } from '../../terminal/words';
import { bytesText } from '../../../model/text/bytes-text';

/** What a snapshot is, what became of it since, and each of its items. */
export function snapshotShow(
  { manifest, pin, proofs, confirmed, problems }: KnownSnapshot,
  view: SnapshotView,
  rows: readonly SnapshotRow[],
  style: Style,
): string {
  const { id, route, source, runId, tags, package: named, imported } = manifest;
  const lines = [
    ['snapshot', `${id}  ${stateWords(view, style)}`],
    ['route', `${route}: ${endWords(source)}`],
    ['portal', [source.url, source.version].filter(Boolean).join('  ')],
    [
      'taken',
      `${timeWords(view.takenAt)}, ${agoWords(view.ageMs)}  committed ${timeWords(manifest.createdAt)}`,
    ],
    ...(view.clock ? [['clock', style.colors.yellow(view.clock.words)] as const] : []),
    [
      'run',
      [runId, ...(view.scheduledBy === undefined ? [] : [`by schedule ${view.scheduledBy}`])].join('  '),
    ],
    ['items', `${itemWords(view)} saved`],
    ['package', named ? `${bytesText(named.sizeBytes)}  sha256 ${named.sha256}` : 'none'],
    ...(tags.length === 0 ? [] : [['tags', tags.map(oneLine).join(', ')] as const]),
    ...(pin
      ? [
          [
            'pinned',
            `${timeWords(pin.at)}  ${oneLine(pin.who)}  ${oneLine(pin.reason ?? '')}`.trimEnd(),
          ] as const,
        ]
      : []),
    ...(confirmed ? [['unchanged', `until ${timeWords(confirmed.at)}  ${confirmed.runId}`] as const] : []),
    ...(imported
      ? [
          [
            'imported',
            `${timeWords(imported.at)}  signed with key ${imported.keySha256.slice(0, 16)}`,
          ] as const,
        ]
      : []),
    ...(proofs.length === 0 ? [['proven', 'never'] as const] : []),
    ...proofs.map(
      ({ level, at, portal, runId: by, items }) =>
        ['proven', `${timeWords(at)}  ${level} on ${portal}, ${countWords(items)} items  ${by}`] as const,
    ),
    ...problems.map((problem) => ['problem', style.colors.red(oneLine(problem))] as const),
  ] as const;
  return [
    ...labelled(
      lines.map(([label, words]) => [label ?? '', words ?? '']),
      style,
      11,
    ),
    '',
    itemTable(rows, style),
  ].join('\n');
}

const itemTable = (rows: readonly SnapshotRow[], style: Style): string =>
  rows.length === 0
    ? 'No items.'
    : columns(
        ['ITEM', 'TYPE', 'TITLE', 'SIZE', 'MODIFIED', 'SAVED', 'LAYERS'],
        rows.map((row) => [
          oneLine(row.itemId),
          oneLine(row.type),
          oneLine(row.title),
          itemSizeWords(row.size),
          row.modified === undefined ? '?' : timeWords(row.modified),
          row.reason === undefined ? row.saved : `${row.saved}: ${oneLine(row.reason)}`,
          layerWords(row),
        ]),
        style,
      );

/** Each layer with its rows and the day of its last edit; `?` for what was not read. */
const layerWords = ({ hosted, layers }: SnapshotRow): string =>
  layers?.length
    ? layers
        .map(
          ({ layerId, name, count, lastEditDate }) =>
            `${layerId} ${quoted(name)} ${count === undefined ? '?' : countWords(count)} rows, edited ${lastEditDate === undefined ? '?' : timeWords(lastEditDate)}`,
        )
        .join('; ')
    : hosted
      ? '?'
      : '';
