import { Command } from '@commander-js/extra-typings';
import type { ListedSnapshots } from '../../../contract/snapshots';
import { type Sheet, tableOf } from '../../../model/text/sheet';
import { countOf, durationWords } from '../../../model/text/words';
import { backupColumns, snapshotColumns, unreadableTable } from '../../../service/snapshot/snapshot-sheets';
import { act } from '../../terminal/act';
import { again } from '../../terminal/typed-options';
import { examples } from '../../terminal/help';

/** `portolan snapshot list`: snapshots, readable or not, and the state of each route's backups. */
export const snapshotListCommand = () =>
  new Command('list')
    .description(
      "List snapshots, newest first.\n\nAlso shows each route's last good snapshot, its age, and the last proven one.",
    )
    .addHelpText(...examples('', '--route transport --safeguards'))
    .option('--route <name>', 'Only snapshots of this route')
    .option('--tag <tag>', 'Only snapshots with this tag')
    .option('--safeguards', 'Include safeguards')
    .action(
      act(async ({ portolan, output }, { route, tag, safeguards }, command) => {
        const { snapshots, routes, hidden = 0 } = await portolan.listSnapshots({ route, tag, safeguards });
        if (output.format === 'ndjson') {
          for (const each of snapshots) output.event({ snapshot: each });
          for (const each of routes) output.event({ route: each });
        } else output.show({ snapshots, routes }, () => listSheet({ snapshots, routes }));
        if (hidden > 0)
          output.note(
            `note  ${countOf(hidden, 'safeguard')} not listed; with them: ${again(command, { safeguards: true })}`,
          );
      }),
    );

/** Snapshots, unreadable ones, and the state of each route's backups. */
const listSheet = ({ snapshots, routes }: ListedSnapshots): Sheet => [
  tableOf(
    snapshots.filter((each) => 'route' in each),
    [
      ['Snapshot', ({ id }) => id],
      ['Route', ({ route }) => route],
      ['Age', ({ ageMs }) => durationWords(ageMs)],
      ...snapshotColumns,
    ],
    { empty: 'No snapshots.' },
  ),
  unreadableTable(snapshots.filter((each) => 'unreadable' in each)),
  tableOf(routes, [
    ['Route', ({ route }) => route],
    ['Age', ({ lastGood }) => (lastGood && !lastGood.ahead ? durationWords(lastGood.ageMs) : '-')],
    ...backupColumns,
  ]),
];
