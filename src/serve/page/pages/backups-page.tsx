import { addressOfRoute } from '../addresses';
import type { RuleRow } from '../../../contract/protect';
import type { ListedSnapshots, SnapshotView } from '../../../contract/snapshots';
import { bytesText, countOf } from '../../../model/text/words';
import { backupColumns, unreadableTable } from '../../../service/snapshot/snapshot-sheets';
import { ruleTable } from '../../../service/protect/rule-sheets';
import { Columns } from '../parts/charts';
import { BlockPart, Shown } from '../parts/sheet';
import { Part, Table } from '../parts/table';
import { Words } from '../parts/words';

/** Columns in a chart: the latest snapshots. */
export const IN_CHART = 30;

/** Each route that has snapshots: its last good one and the last proven one; rules; and what is unreadable lately. */
export const BackupsPage = ({
  routes,
  snapshots,
  rules,
  configured,
}: Pick<ListedSnapshots, 'routes' | 'snapshots'> & {
  readonly rules: readonly RuleRow[];
  /** Names of the routes in portolan.yaml. */
  readonly configured: readonly string[];
}) => {
  const unreadable = snapshots.filter((each) => 'unreadable' in each);
  return (
    <>
      <h1>Backups</h1>
      {routes.length === 0 ? (
        <p>No snapshots yet.</p>
      ) : (
        <section id="routes">
          <Table name="Routes" head={['Route', ...backupColumns.map(([head]) => head)]}>
            <tbody>
              {routes.map((route) => (
                <tr>
                  <th scope="row">
                    <a href={addressOfRoute(route.route)}>
                      <Words text={route.route} most={60} />
                    </a>
                  </th>
                  {backupColumns.map(([, cell]) => (
                    <td>
                      <Shown value={cell(route)} />
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </Table>
        </section>
      )}
      {rules.length > 0 && (
        <Part id="rules" title="Rules">
          <BlockPart block={ruleTable(rules)} name="Rules" />
        </Part>
      )}
      <NotYet routes={configured.filter((name) => !routes.some(({ route }) => route === name))} />
      {unreadable.length > 0 && (
        <Part id="unreadable" title="Unreadable snapshots">
          <BlockPart block={unreadableTable(unreadable)} name="Unreadable snapshots" />
        </Part>
      )}
    </>
  );
};

/** The readable snapshots of a route. */
export const ofRoute = (snapshots: ListedSnapshots['snapshots'], route: string): readonly SnapshotView[] =>
  snapshots.filter((each) => 'route' in each).filter((each) => each.route === route);

/** Links to the pages where their first backup can be started. */
const NotYet = ({ routes }: { readonly routes: readonly string[] }) =>
  routes.length === 0 ? null : (
    <p id="not-yet">
      Not backed up yet:{' '}
      {routes.map((name, at) => (
        <>
          {at > 0 && ', '}
          <a href={addressOfRoute(name)}>{name}</a>
        </>
      ))}
    </p>
  );

/** Sizes of the latest backups. */
export const SizeChart = ({ snapshots }: { readonly snapshots: readonly SnapshotView[] }) => {
  const points = snapshots
    .filter(({ kind }) => kind === 'backup')
    .slice(0, IN_CHART)
    .reverse()
    .map(({ takenAt, sizeBytes = 0, items, good }) => ({
      at: takenAt,
      value: sizeBytes,
      words: `${bytesText(sizeBytes)}, ${countOf(items, 'item')}${good ? '' : ', not good'}`,
      mark: good ? undefined : ('notice' as const),
    }));
  const last = points.at(-1);
  return (
    <Columns
      points={points}
      sums={`Sizes of ${countOf(points.length, 'backup')}; latest: ${last?.words ?? ''}`}
    />
  );
};
