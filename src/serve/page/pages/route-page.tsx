import type { RunRow } from '../../../contract/run-row';
import type { RouteState, SnapshotView } from '../../../contract/snapshots';
import { statusMarks, tableOf } from '../../../model/text/sheet';
import { countOf, durationWords } from '../../../model/text/words';
import { backupColumns, snapshotColumns } from '../../../service/snapshot/snapshot-sheets';
import { IN_CHART, SizeChart } from './backups-page';
import { Columns, type Point } from '../parts/charts';
import { runTable } from '../../../service/run/run-sheet';
import { BlockPart } from '../parts/sheet';
import { Part } from '../parts/table';
import { Words } from '../parts/words';
import { BackupForm, RestoreForm } from '../forms/start-forms';

export interface RouteView {
  readonly route: string;
  readonly state?: RouteState;
  /** Newest first. */
  readonly snapshots: readonly SnapshotView[];
  /** Older snapshots are not shown. */
  readonly hasMore: boolean;
  /** Latest runs of the route, newest first. */
  readonly runs: readonly RunRow[];
  /** Names of the portals a restore can write to. */
  readonly portals: readonly string[];
  /** The default target of a restore. */
  readonly home?: { readonly portal: string; readonly group: string };
  readonly isConfigured: boolean;
}

/** Backups of a route: charts of sizes, durations and outcomes, its snapshots, and a form to restore one. */
export const RoutePage = ({
  route,
  state,
  snapshots,
  hasMore,
  runs,
  portals,
  home,
  isConfigured,
}: RouteView) => {
  const backups = runs.filter(({ kind }) => kind === 'backup');
  return (
    <>
      <h1>
        Backups of <Words text={route} most={80} />
      </h1>
      {state && (
        <div id="state">
          <BlockPart
            block={{ facts: backupColumns.map(([head, fact]) => [head.toLowerCase(), fact(state)]) }}
            name="Backups"
          />
        </div>
      )}
      <section id="charts" class="charts">
        <figure>
          <figcaption>Size</figcaption>
          <SizeChart snapshots={snapshots} />
        </figure>
        <figure>
          <figcaption>Duration and outcome</figcaption>
          <TimeChart runs={backups} />
        </figure>
      </section>
      <Snapshots snapshots={snapshots} hasMore={hasMore} />
      {isConfigured && <BackupForm route={route} />}
      <RestoreForm {...{ route, snapshots, portals, home }} />
      <Part id="runs" title="Recent runs">
        <BlockPart block={runTable(runs, { empty: 'None.' })} name="Recent runs" />
      </Part>
    </>
  );
};

const TimeChart = ({ runs }: { readonly runs: readonly RunRow[] }) => {
  const points = runs
    .filter(({ finishedAt }) => finishedAt !== undefined)
    .slice(0, IN_CHART)
    .reverse()
    .map(({ startedAt, finishedAt = startedAt, status }): Point => {
      const took = Math.max(0, Date.parse(finishedAt) - Date.parse(startedAt)) || 0;
      return {
        at: startedAt,
        value: took,
        words: `${status} after ${durationWords(took)}`,
        mark: statusMarks[status],
      };
    });
  const good = points.filter(({ mark }) => mark === 'good').length;
  return <Columns points={points} sums={`Durations of ${countOf(points.length, 'backup')}, ${good} good`} />;
};

const Snapshots = ({ snapshots, hasMore }: Pick<RouteView, 'snapshots' | 'hasMore'>) => (
  <Part id="snapshots" title={hasMore ? 'Newest snapshots' : countOf(snapshots.length, 'snapshot')}>
    <BlockPart
      block={tableOf(snapshots, [['Snapshot', ({ id }) => id], ...snapshotColumns])}
      name="Snapshots"
    />
    {hasMore && <p class="fine">Older ones are not shown.</p>}
  </Part>
);
