import { bytesText, countWords, timeWords } from '../../../model/text/words';
import { oneLine } from '../../../model/text/plain-text';
import { columns } from '../../terminal/columns';
import type { Style } from '../../terminal/style';
import type { ReleaseView, UnreadableReleaseView } from '../../../service/release/release-view';

/** Releases, one per line, and unreadable ones with the reason. */
export function releaseListTable(
  releases: readonly ReleaseView[],
  unreadable: readonly UnreadableReleaseView[],
  style: Style,
): string {
  const rows = releases.map(({ id, createdAt, who, groups, items, sizeBytes, reason, pin }) => [
    id,
    timeWords(createdAt),
    oneLine(who),
    countWords(groups.length),
    countWords(items),
    bytesText(sizeBytes),
    pin ? 'yes' : '-',
    oneLine(reason ?? ''),
  ]);
  return [
    releases.length === 0
      ? 'No releases.'
      : columns(['RELEASE', 'CREATED', 'BY', 'GROUPS', 'ITEMS', 'SIZE', 'PINNED', 'REASON'], rows, style),
    ...(unreadable.length === 0
      ? []
      : [
          columns(
            ['UNREADABLE', 'CODE', 'WHY'],
            unreadable.map(({ id, code, why }) => [oneLine(id), style.colors.red(code), oneLine(why)]),
            style,
          ),
        ]),
  ].join('\n\n');
}
