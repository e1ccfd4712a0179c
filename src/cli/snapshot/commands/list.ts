import { Command } from '@commander-js/extra-typings';
import type { ListedSnapshots } from '../../../contract/snapshots';
import { type Sheet, tableOf } from '../../../model/text/sheet';
import { durationWords } from '../../../model/text/words';
import { backupColumns, snapshotColumns, unreadableTable } from '../../../service/snapshot/snapshot-sheets';
import { act } from '../../terminal/act';
import { countArgument } from '../../terminal/arguments';
import { again } from '../../terminal/typed-options';
import { examples } from '../../terminal/help';

/** Snapshots listed without `--limit`. */
const PAGE = 50;

/** `portolan snapshot list`: snapshots, readable or not, and the state of each route's backups. */
export const snapshotListCommand = () =>
  new Command('list')
    .description(
      "List snapshots, newest first.\n\nAlso shows each route's last good snapshot, its age, and the last proven one. For rules, see portolan protect list.",
    )
    .addHelpText(...examples('', '--route transport --safeguards'))
    .option('--route <name>', 'Only snapshots of this route')
    .option('--tag <tag>', 'Only snapshots with this tag')
    .option('--safeguards', 'Include safeguards')
    .option('--limit <count>', 'Maximum number of snapshots', countArgument, PAGE)
    .action(
      act(async ({ portolan, output }, filter, command) => {
        const { snapshots, routes, hidden, next } = await portolan.listSnapshots(filter);
        if (output.format === 'ndjson') {
          for (const each of snapshots) output.event({ snapshot: each });
          for (const each of routes) output.event({ route: each });
        } else output.show({ snapshots, routes }, () => listSheet({ snapshots, routes }));
        if (next !== undefined)
          output.note(
            `note  older ones are not listed; more: ${again(command, { limit: String(10 * filter.limit) })}`,
          );
        if (hidden)
          output.note(`note  safeguards are not listed; with them: ${again(command, { safeguards: true })}`);
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
