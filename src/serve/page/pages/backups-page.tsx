import { addressOfRoute } from '../addresses';
import type { ListedSnapshots, RouteState, SnapshotView } from '../../../contract/snapshots';
import { exactDuration, bytesText, countOf } from '../../../model/text/words';
import { Columns } from '../parts/charts';
import { Part, Table } from '../parts/table';
import { When } from '../parts/when';
import { Words } from '../parts/words';

/** Columns in a chart: the latest snapshots. */
export const IN_CHART = 30;

/** Each route that has snapshots: its last good one, the last proven one, and their sizes. */
export const BackupsPage = ({
  routes,
  snapshots,
  configured,
}: Pick<ListedSnapshots, 'routes' | 'snapshots'> & {
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
          <Table name="Routes" head={['Route', 'Last good', 'Maximum age', 'Last proven', 'Size']}>
            <tbody>
              {routes.map((route) => (
                <tr>
                  <th scope="row">
                    <a href={addressOfRoute(route.route)}>
                      <Words text={route.route} most={60} />
                    </a>
                  </th>
                  <td>
                    <LastGood state={route} />
                  </td>
                  <td>{route.maxAgeMs === undefined ? '' : exactDuration(route.maxAgeMs)}</td>
                  <td>
                    <LastProven state={route} />
                  </td>
                  <td>
                    <SizeChart snapshots={ofRoute(snapshots, route.route)} />
                  </td>
                </tr>
              ))}
            </tbody>
          </Table>
        </section>
      )}
      <NotYet routes={configured.filter((name) => !routes.some(({ route }) => route === name))} />
      {unreadable.length > 0 && (
        <Part id="unreadable" title="Unreadable snapshots">
          <ul class="reasons">
            {unreadable.map(({ id, unreadable: { code, why } }) => (
              <li>
                <Words text={id} /> <strong>{code}</strong> <Words text={why} most={300} />
              </li>
            ))}
          </ul>
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

export const LastGood = ({ state: { lastGood, overdue } }: { readonly state: RouteState }) => (
  <>
    {overdue && <span class="mark failed">overdue</span>}{' '}
    {lastGood === undefined ? (
      'none'
    ) : lastGood.ahead ? (
      'dated in the future'
    ) : (
      <>
        <When at={lastGood.takenAt} />
        {lastGood.confirmedAt !== undefined && (
          <span class="fine">
            , confirmed unchanged <When at={lastGood.confirmedAt} />
          </span>
        )}
      </>
    )}
  </>
);

export const LastProven = ({ state: { lastProven } }: { readonly state: RouteState }) =>
  lastProven === undefined ? (
    <>never</>
  ) : (
    <>
      <When at={lastProven.proof.at} />
      <span class="fine">
        , {lastProven.proof.level} on <Words text={lastProven.proof.portal} most={60} />
      </span>
    </>
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
      ...(!good && { tone: 'warn' as const }),
    }));
  const last = points.at(-1);
  return (
    <Columns
      points={points}
      sums={`Sizes of ${countOf(points.length, 'backup')}; latest: ${last?.words ?? ''}`}
    />
  );
};
