import { Command } from '@commander-js/extra-typings';
import type { ReleaseView } from '../../../contract/releases';
import { bad, listed, type Sheet, tableOf } from '../../../model/text/sheet';
import { bytesText, countOf } from '../../../model/text/words';
import { act } from '../../terminal/act';
import { argumentHelp } from '../../terminal/arguments';
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
        output.show(view, () => releaseSheet(view));
      }),
    );

/** A release and its groups. */
const releaseSheet = ({
  source,
  settings,
  categories,
  imported,
  pin,
  block,
  ...release
}: ReleaseView): Sheet => [
  {
    facts: [
      ['release', release.id],
      ['sha256', release.sha256],
      ['pipeline', release.pipeline],
      ['created', [{ time: release.createdAt }, ` by ${release.who}`]],
      ['reason', release.reason],
      ['source', listed(`${source.stage}: ${source.portal}`, source.url, source.version)],
      ['run', { run: release.runId, whole: true }],
      [
        'imported',
        imported && listed({ time: imported.at }, `signed with key ${imported.keySha256.slice(0, 16)}`),
      ],
      ['settings', settings && countOf(settings.count, 'value')],
      ['categories', categories?.count],
      ['blocked', block && bad(listed(block.at && { time: block.at }, block.who, block.reason))],
      ['pinned', pin && listed({ time: pin.at }, pin.who, pin.reason)],
    ],
  },
  tableOf(release.groups, [
    ['Group', ({ name }) => name],
    ['Items', ({ items }) => items],
    ['Size', ({ sizeBytes }) => bytesText(sizeBytes)],
    ['Snapshot', ({ snapshotId }) => snapshotId],
    ['SHA256', ({ sha256 }) => sha256.slice(0, 16)],
  ]),
];
