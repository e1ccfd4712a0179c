import type { RunRow } from '../../../contract/run-row';
import type { RouteState, SnapshotView } from '../../../contract/snapshots';
import { bytesText, exactDuration, countOf, countWords, durationWords } from '../../../model/text/words';
import type { RunStatus } from '../../../model/run/phase';
import { shortRunId } from '../../../model/run/run-id';
import { snapshotStates } from '../../../service/snapshot/snapshot-words';
import { IN_CHART, LastGood, LastProven, SizeChart } from './backups-page';
import { Columns, type Point } from '../parts/charts';
import { runTable } from '../../../service/run/run-sheet';
import { BlockPart } from '../parts/sheet';
import { Facts, Part, Table } from '../parts/table';
import { When } from '../parts/when';
import { Words } from '../parts/words';
import { BackupForm, RestoreForm } from '../forms/start-forms';

export interface RouteView {
  readonly route: string;
  readonly state?: RouteState;
  /** Newest first. */
  readonly snapshots: readonly SnapshotView[];
  /** Latest runs of the route, newest first. */
  readonly runs: readonly RunRow[];
  /** Names of the portals a restore can write to. */
  readonly portals: readonly string[];
  /** The default target of a restore. */
  readonly home?: { readonly portal: string; readonly group: string };
  readonly isConfigured: boolean;
}

/** Backups of a route: charts of sizes, durations and outcomes, its snapshots, and a form to restore one. */
export const RoutePage = ({ route, state, snapshots, runs, portals, home, isConfigured }: RouteView) => {
  const backups = runs.filter(({ kind }) => kind === 'backup');
  return (
    <>
      <h1>
        Backups of <Words text={route} most={80} />
      </h1>
      {state && (
        <div id="state">
          <Facts
            facts={[
              ['last good', <LastGood state={state} />],
              ['last proven', <LastProven state={state} />],
              ...(state.maxAgeMs === undefined
                ? []
                : [['maximum age', exactDuration(state.maxAgeMs)] as const]),
            ]}
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
      <Snapshots snapshots={snapshots} />
      {isConfigured && <BackupForm route={route} />}
      <RestoreForm {...{ route, snapshots, portals, home }} />
      <Part id="runs" title="Recent runs">
        <BlockPart block={runTable(runs, { empty: 'None.' })} name="Recent runs" />
      </Part>
    </>
  );
};

const tones: Partial<Record<RunStatus, NonNullable<Point['tone']>>> = {
  succeeded: 'good',
  'nothing-to-do': 'good',
  partial: 'warn',
  parked: 'warn',
  failed: 'bad',
  cancelled: 'bad',
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
        tone: tones[status],
      };
    });
  const good = points.filter(({ tone }) => tone === 'good').length;
  return <Columns points={points} sums={`Durations of ${countOf(points.length, 'backup')}, ${good} good`} />;
};

const Snapshots = ({ snapshots }: { readonly snapshots: readonly SnapshotView[] }) => (
  <Part id="snapshots" title={countOf(snapshots.length, 'snapshot')}>
    {snapshots.length > 0 && (
      <Table name="Snapshots" head={['Snapshot', 'Taken', 'Items', 'Size', 'State', 'Proven', 'Pinned']}>
        <tbody>
          {snapshots.slice(0, SHOWN).map((each) => (
            <tr>
              <td>
                <code title={each.id}>{shortRunId(each.id)}</code>
              </td>
              <td>
                <When at={each.takenAt} />
              </td>
              <td class="number">
                {countWords(each.items)}
                {each.items !== each.requested && ` of ${countWords(each.requested)}`}
              </td>
              <td class="number">{each.sizeBytes === undefined ? '' : bytesText(each.sizeBytes)}</td>
              <td>{snapshotStates(each).join(', ')}</td>
              <td>
                {each.proof && (
                  <>
                    {each.proof.level} <When at={each.proof.at} />
                  </>
                )}
              </td>
              <td>{each.pin && <Words text={each.pin.reason ?? `by ${each.pin.who}`} most={80} />}</td>
            </tr>
          ))}
        </tbody>
      </Table>
    )}
    {snapshots.length > SHOWN && <p class="fine">{countWords(snapshots.length - SHOWN)} older not shown</p>}
  </Part>
);

const SHOWN = 100;
