import { Command } from '@commander-js/extra-typings';
import type { SnapshotDetail, SnapshotView } from '../../../contract/snapshots';
import {
  isPackaged,
  packagesIn,
  type SnapshotBase,
  type SnapshotManifest,
  type SnapshotRow,
} from '../../../model/snapshot/snapshot';
import { oneLine } from '../../../model/text/plain-text';
import {
  bytesText,
  countOf,
  countWords,
  endWords,
  itemSizeWords,
  quoted,
  timeWords,
} from '../../../model/text/words';
import { act } from '../../terminal/act';
import { argumentHelp } from '../../terminal/arguments';
import { columns, labelled } from '../../terminal/columns';
import type { Style } from '../../terminal/style';
import { agoWords, itemWords, stateWords } from '../snapshot-words';
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
        const { snapshotView } = await import('../../../service/snapshot/snapshot-words.js');
        const { pin, proofs, confirmed, problems, items: _items, ...manifest } = detail;
        const view = snapshotView({ manifest, pin, proofs, confirmed, problems }, Date.now());
        output.show(detail, (style) => snapshotText(detail, view, style));
      }),
    );

/** A snapshot, its later history, and its items. */
function snapshotText(
  { pin, proofs, confirmed, problems, items: rows, ...manifest }: SnapshotDetail,
  view: SnapshotView,
  style: Style,
): string {
  const { id, route, source, runId, tags, since, imported } = manifest;
  const lines = labelled(
    [
      ['snapshot', `${id}  ${stateWords(view, style)}`],
      ['route', `${route}: ${endWords(source)}`],
      ['portal', [source.url, source.version].filter(Boolean).join('  ')],
      [
        'taken',
        `${timeWords(view.takenAt)}, ${agoWords(view.ageMs)}  committed ${timeWords(manifest.createdAt)}`,
      ],
      ['clock', view.ahead && style.colors.yellow(aheadWords)],
      ['run', view.scheduledBy === undefined ? runId : `${runId}  by schedule ${view.scheduledBy}`],
      ['items', `${itemWords(view)} saved`],
      ...packageLines(manifest, rows),
      ['parent', since && sinceWords(since)],
      ['tags', tags.map(oneLine).join(', ') || undefined],
      ['pinned', pin && `${timeWords(pin.at)}  ${oneLine(pin.who)}  ${oneLine(pin.reason ?? '')}`.trimEnd()],
      ['unchanged', confirmed && `until ${timeWords(confirmed.at)}  ${confirmed.runId}`],
      [
        'imported',
        imported && `${timeWords(imported.at)}  signed with key ${imported.keySha256.slice(0, 16)}`,
      ],
      ['proven', proofs.length === 0 ? 'never' : undefined],
      ...proofs.map(
        ({ level, at, portal, runId: by, items }) =>
          ['proven', `${timeWords(at)}  ${level} on ${portal}, ${countWords(items)} items  ${by}`] as const,
      ),
      ...problems.map((problem) => ['problem', style.colors.red(oneLine(problem))] as const),
    ],
    style,
    11,
  );
  return [...lines, '', itemTable(rows, packagesIn(manifest).length > 1, style)].join('\n');
}

/** Each package; if there are several, with its number of items. */
function packageLines(
  manifest: SnapshotManifest,
  rows: readonly SnapshotRow[],
): (readonly [string, string])[] {
  const packages = packagesIn(manifest);
  if (packages.length === 0) return [['package', 'none']];
  const [only] = packages.length === 1 ? packages : [];
  if (only) return [['package', `${bytesText(only.sizeBytes)}  sha256 ${only.sha256}`]];
  return packages.map(({ sizeBytes, sha256 }, index) => {
    const items = rows.filter((row) => isPackaged(row) && (row.package ?? 0) === index).length;
    return [`package ${index + 1}`, `${bytesText(sizeBytes)}  ${countOf(items, 'item')}  sha256 ${sha256}`];
  });
}

const aheadWords = 'dated in the future; it is kept, and no rule counts it';

const sinceWords = ({ id, full, changed, removed }: SnapshotBase): string =>
  [
    `${oneLine(id)}: ${countOf(changed, 'item')} exported since, ${countWords(removed.length)} removed`,
    ...(full.id === id ? [] : [`last full ${timeWords(full.at)}, ${oneLine(full.id)}`]),
  ].join('; ');

const itemTable = (rows: readonly SnapshotRow[], hasSeveral: boolean, style: Style): string =>
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
          savedWords(row, hasSeveral),
          layerWords(row),
        ]),
        style,
      );

/** How an item is saved (if there are several packages, in which one), or why it is not. */
function savedWords(row: SnapshotRow, hasSeveral: boolean): string {
  const where = hasSeveral && isPackaged(row) ? ` ${(row.package ?? 0) + 1}` : '';
  return row.reason === undefined ? `${row.saved}${where}` : `${row.saved}: ${oneLine(row.reason)}`;
}

/** Each layer with its rows and last edit; `?` if unknown. */
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
