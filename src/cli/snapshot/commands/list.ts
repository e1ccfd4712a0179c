import { Command } from '@commander-js/extra-typings';
import type { ListedSnapshots, RouteState, SnapshotView, UnreadableView } from '../../../contract/snapshots';
import { oneLine } from '../../../model/text/plain-text';
import { countOf, timeWords } from '../../../model/text/words';
import { act } from '../../terminal/act';
import { columns } from '../../terminal/columns';
import type { Style } from '../../terminal/style';
import { again } from '../../terminal/typed-options';
import { ageWords, itemWords, sizeWords, stateWords } from '../snapshot-words';
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
        } else output.show({ snapshots, routes }, (style) => listTables({ snapshots, routes }, style));
        if (hidden > 0)
          output.note(
            `note  ${countOf(hidden, 'safeguard')} not listed; with them: ${again(command, { safeguards: true })}`,
          );
      }),
    );

/** Snapshots, one per line, unreadable ones with the reason, and the state of each route's backups. */
function listTables({ snapshots: all, routes }: ListedSnapshots, style: Style): string {
  const snapshots = all.filter((each) => 'route' in each);
  const unreadable = all.filter((each) => 'unreadable' in each);
  const parts = [
    snapshots.length === 0 ? 'No snapshots.' : snapshotTable(snapshots, style),
    ...(unreadable.length === 0 ? [] : [unreadableTable(unreadable, style)]),
    ...(routes.length === 0 ? [] : [routeTable(routes, style)]),
  ];
  return parts.join('\n\n');
}

const snapshotTable = (snapshots: readonly SnapshotView[], style: Style): string =>
  columns(
    ['SNAPSHOT', 'ROUTE', 'TAKEN', 'AGE', 'ITEMS', 'SIZE', 'STATE', 'PROVEN', 'PINNED'],
    snapshots.map((snapshot) => [
      snapshot.id,
      snapshot.route,
      timeWords(snapshot.takenAt),
      ageWords(snapshot.ageMs),
      itemWords(snapshot),
      sizeWords(snapshot),
      stateWords(snapshot, style),
      snapshot.proof ? `${snapshot.proof.level} ${timeWords(snapshot.proof.at)}` : '-',
      pinWords(snapshot),
    ]),
    style,
  );

const unreadableTable = (unreadable: readonly UnreadableView[], style: Style): string =>
  columns(
    ['UNREADABLE', 'CODE', 'WHY'],
    unreadable.map(({ id, unreadable: { code, why } }) => [
      oneLine(id),
      style.colors.red(code),
      oneLine(why),
    ]),
    style,
  );

const routeTable = (routes: readonly RouteState[], style: Style): string =>
  columns(
    ['ROUTE', 'LAST GOOD', 'AGE', 'MAX AGE', 'LAST PROVEN'],
    routes.map(({ route, lastGood, maxAgeMs, overdue, lastProven }) => [
      route,
      lastGood?.id ?? 'none',
      [
        lastGood ? (lastGood.ahead ? 'dated in the future' : ageWords(lastGood.ageMs)) : '-',
        lastGood?.confirmedAt === undefined ? '' : '(unchanged since)',
        overdue ? style.colors.red('OVERDUE') : '',
      ]
        .filter(Boolean)
        .join(' '),
      maxAgeMs === undefined ? '-' : ageWords(maxAgeMs),
      lastProven
        ? `${lastProven.id}, ${lastProven.proof.level} on ${lastProven.proof.portal} ${timeWords(lastProven.proof.at)}`
        : 'never',
    ]),
    style,
  );

const pinWords = ({ pin }: Pick<SnapshotView, 'pin'>): string =>
  pin === undefined ? '-' : oneLine(pin.reason ?? `by ${pin.who}`);
