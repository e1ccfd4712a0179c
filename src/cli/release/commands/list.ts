import { Command } from '@commander-js/extra-typings';
import type { ListedReleases } from '../../../contract/releases';
import { oneLine } from '../../../model/text/plain-text';
import { bytesText, countWords, timeWords } from '../../../model/text/words';
import { act } from '../../terminal/act';
import { columns } from '../../terminal/columns';
import type { Style } from '../../terminal/style';
import { examples } from '../../terminal/help';

/** `portolan release list`: releases in the store, readable or not. */
export const releaseListCommand = () =>
  new Command('list')
    .description('List releases, newest first.')
    .addHelpText(...examples('', 'traffic -o json'))
    .argument('[pipeline]', 'Pipeline (default: all)')
    .action(
      act(async ({ portolan, output }, pipeline) => {
        const listed = await portolan.listReleases({ pipeline });
        if (output.format === 'ndjson')
          for (const each of [...listed.releases, ...listed.unreadable]) output.event({ release: each });
        else output.show(listed, (style) => listTables(listed, style));
      }),
    );

/** Releases, one per line, and unreadable ones with the reason. */
function listTables({ releases, unreadable }: ListedReleases, style: Style): string {
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
