import type { ListedRuns } from '../../../contract/runs';
import { runStatuses } from '../../../model/run/phase';
import { runTable } from '../../../service/run/run-sheet';
import { SyncForm } from '../forms/start-forms';
import { BlockPart } from '../parts/sheet';

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
      <BlockPart block={runTable(runs, { empty: 'No matching runs.' })} name="Runs, newest first" />
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

function addressOf({ route, status, before }: RunsView['asked']): string {
  const query = new URLSearchParams();
  for (const [key, value] of Object.entries({ route, status, before }))
    if (value !== undefined) query.set(key, value);
  return query.size === 0 ? '/runs' : `/runs?${query.toString()}`;
}
