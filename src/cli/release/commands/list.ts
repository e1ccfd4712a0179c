import { Command } from '@commander-js/extra-typings';
import type { ListedReleases } from '../../../contract/releases';
import { blockText } from '../../../domain/release/releases';
import { bad, type Sheet, tableOf } from '../../../model/text/sheet';
import { bytesText } from '../../../model/text/words';
import { act } from '../../terminal/act';
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
        else output.show(listed, () => listSheet(listed));
      }),
    );

/** Releases, one per row, and unreadable ones with the reason. */
const listSheet = ({ releases, unreadable }: ListedReleases): Sheet => [
  tableOf(
    releases,
    [
      ['Release', ({ id }) => id],
      ['Created', ({ createdAt }) => ({ time: createdAt })],
      ['By', ({ who }) => who],
      ['Groups', ({ groups }) => groups.length],
      ['Items', ({ items }) => items],
      ['Size', ({ sizeBytes }) => bytesText(sizeBytes)],
      ['Pinned', ({ pin }) => (pin ? 'yes' : '-')],
      ['Blocked', ({ block }) => (block ? bad(blockText(block)) : '-')],
      ['Reason', ({ reason }) => reason],
    ],
    { empty: 'No releases.' },
  ),
  tableOf(unreadable, [
    ['Unreadable', ({ id }) => id],
    ['Code', ({ code }) => bad(code)],
    ['Why', ({ why }) => why],
  ]),
];
