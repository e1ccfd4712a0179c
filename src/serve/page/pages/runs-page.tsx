import type { RunRow } from '../../../contract/run-row';
import type { ListedRuns } from '../../../contract/runs';
import { runStatuses } from '../../../model/run/phase';
import { queueWords } from '../../../service/portal-queue/queue-words';
import { windowWords } from '../../../model/text/words';
import { SyncForm } from '../forms/start-forms';
import { RunLink, StatusMark } from '../parts/run-marks';
import { Table } from '../parts/table';
import { Took, When } from '../parts/when';
import { Words } from '../parts/words';

export interface RunsView {
  readonly listed: ListedRuns;
  readonly asked: { readonly route?: string; readonly status?: string; readonly before?: string };
  /** Names of the routes and pipelines in portolan.yaml. */
  readonly routes: readonly string[];
  /** Names of the routes, which can be synced. */
  readonly syncs: readonly string[];
}

/** A page of runs, newest first. */
export const RunsPage = ({ listed: { runs, next, notes = [] }, asked, routes, syncs }: RunsView) => (
  <>
    <h1>Runs</h1>
    {notes.map((note) => (
      <p class="banner bad">Note: {note}</p>
    ))}
    <form method="get" action="/runs" class="filter" role="search">
      <label>
        Route{' '}
        <select name="route">
          <option value="">all</option>
          {routes.map((name) => (
            <option value={name} selected={name === asked.route}>
              {name}
            </option>
          ))}
        </select>
      </label>
      <label>
        Status{' '}
        <select name="status">
          <option value="">all</option>
          {runStatuses.map((status) => (
            <option value={status} selected={status === asked.status}>
              {status}
            </option>
          ))}
        </select>
      </label>
      <button type="submit">Filter</button>
    </form>
    <section id="list">
      {runs.length === 0 ? <p>No matching runs.</p> : <RunsTable rows={runs} name="Runs, newest first" />}
    </section>
    <nav id="pages" class="pages" aria-label="Run pages">
      {asked.before !== undefined && <a href={addressOf({ ...asked, before: undefined })}>Newest</a>}
      {next !== undefined && (
        <a rel="next" href={addressOf({ ...asked, before: next })}>
          Older
        </a>
      )}
    </nav>
    <SyncForm routes={syncs} />
  </>
);

export const RunsTable = ({ rows, name }: { readonly rows: readonly RunRow[]; readonly name: string }) => (
  <Table name={name} head={['Run', 'Kind', 'Route', 'Status', 'Started', 'Duration', 'Started by']}>
    <tbody>
      {rows.map((row) => (
        <tr>
          <td>
            <RunLink runId={row.runId} />
          </td>
          <td>{row.kind}</td>
          <td>
            <Words text={row.route} most={60} />
          </td>
          <td>
            <StatusMark status={row.status} /> {standing(row)}
          </td>
          <td>
            <When at={row.startedAt} />
          </td>
          <td class="number">
            <Took from={row.startedAt} to={row.finishedAt} />
          </td>
          <td>
            <Words text={row.startedBy ?? ''} most={60} />
          </td>
        </tr>
      ))}
    </tbody>
  </Table>
);

const standing = ({ status, phase, queue, window, failing }: RunRow): string =>
  [
    status === 'running' || status === 'parked' ? phase : undefined,
    queueWords(queue),
    window && windowWords(window),
    failing && `workflow task failing (attempt ${failing.attempt}): check the worker version`,
  ]
    .filter((each) => each !== undefined && each !== '')
    .join(', ');

function addressOf({ route, status, before }: RunsView['asked']): string {
  const query = new URLSearchParams();
  for (const [key, value] of Object.entries({ route, status, before }))
    if (value !== undefined) query.set(key, value);
  return query.size === 0 ? '/runs' : `/runs?${query.toString()}`;
}
