import { Command } from '@commander-js/extra-typings';
import type { ReleaseView } from '../../../contract/releases';
import { oneLine } from '../../../model/text/plain-text';
import { bytesText, countOf, countWords, timeWords } from '../../../model/text/words';
import { act } from '../../terminal/act';
import { argumentHelp } from '../../terminal/arguments';
import { columns, labelled } from '../../terminal/columns';
import type { Style } from '../../terminal/style';
import { examples } from '../../terminal/help';

/** `portolan release show`: what a release holds, and where it came from. */
export const releaseShowCommand = () =>
  new Command('show')
    .description('Show what a release holds, who created it and why.')
    .addHelpText(...examples('latest:traffic'))
    .argument('<release>', argumentHelp.release)
    .action(
      act(async ({ portolan, output }, release) => {
        const view = await portolan.readRelease({ release });
        output.show(view, (style) => releaseText(view, style));
      }),
    );

/** A release and its groups. */
function releaseText(release: ReleaseView, style: Style): string {
  const {
    id,
    pipeline,
    sha256,
    source,
    who,
    reason,
    createdAt,
    runId,
    pin,
    groups,
    settings,
    categories,
    imported,
  } = release;
  const head = labelled(
    [
      ['release', `${id}  sha256 ${sha256}`],
      ['pipeline', pipeline],
      [
        'created',
        `${timeWords(createdAt)} by ${oneLine(who)}${reason === undefined ? '' : `: ${oneLine(reason)}`}`,
      ],
      [
        'source',
        [`${source.stage}: ${source.portal}`, source.url, oneLine(source.version)].filter(Boolean).join('  '),
      ],
      ['run', runId],
      [
        'imported',
        imported && `${timeWords(imported.at)}  signed with key ${imported.keySha256.slice(0, 16)}`,
      ],
      ['settings', settings && countOf(settings.count, 'value')],
      ['categories', categories && countWords(categories.count)],
      ['pinned', pin && `${timeWords(pin.at)}  ${oneLine(pin.who)}  ${oneLine(pin.reason ?? '')}`.trimEnd()],
    ],
    style,
    12,
  );
  const table = columns(
    ['GROUP', 'ITEMS', 'SIZE', 'SNAPSHOT', 'SHA256'],
    groups.map(({ name, items, sizeBytes, snapshotId, sha256: of }) => [
      name,
      countWords(items),
      bytesText(sizeBytes),
      snapshotId,
      of.slice(0, 16),
    ]),
    style,
  );
  return [...head, '', table].join('\n');
}
