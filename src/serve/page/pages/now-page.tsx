import type { StatusView } from '../../../contract/status';
import { exactDuration, countOf } from '../../../model/text/words';
import { oneLine } from '../../../model/text/plain-text';
import type { RowWithRecord } from '../../../service/run/lookup/row-records';
import { type Concern, concernsOf } from '../../../service/status/concerns';
import { Command } from '../parts/command';
import { Notes, Part } from '../parts/table';
import { When } from '../parts/when';
import { Words } from '../parts/words';
import { RunCard } from './run-card';

export interface NowView {
  readonly status: StatusView;
  /** Open runs, the first few of each status. */
  readonly open: readonly RowWithRecord[];
}

/** What needs attention, what runs, and what is due next. */
export const NowPage = ({ status, open }: NowView) => {
  const { waiting, running, parked, overdue } = status;
  const concerns = concernsOf(status);
  const isQuiet = concerns.length === 0 && running.length === 0;
  return (
    <>
      <h1>Now</h1>
      <Away status={status} />
      {isQuiet ? <NothingToDo status={status} /> : <Attention concerns={concerns} />}
      <Runs {...{ id: 'waiting', title: 'Waiting for approval', rows: waiting, open }} />
      <Runs {...{ id: 'parked', title: 'Parked', rows: parked, open }} />
      <Runs {...{ id: 'running', title: 'Running', rows: running, open }} />
      {overdue.length > 0 && <Overdue overdue={overdue} />}
      {!isQuiet && <Next status={status} />}
      <Notes notes={status.notes} />
    </>
  );
};

/** What is unreachable or not running, and what to do about it. */
const Away = ({ status: { temporal, workers, unable, unapplied } }: { readonly status: StatusView }) => (
  <div id="away">
    {!temporal.answers && (
      <p class="banner bad">
        Cannot reach Temporal at {oneLine(temporal.address)}. Showing last recorded state. Check that Temporal
        runs at this address. If it is on this machine: <Command text="portolan up" />
      </p>
    )}
    {temporal.answers && workers.length === 0 && (
      <p class="banner bad">
        No worker is running. Runs and decisions wait until one starts. Start the worker service. If
        everything is on one machine: <Command text="portolan up" />; otherwise:{' '}
        <Command text="portolan worker" />
      </p>
    )}
    {unable && (
      <p class="banner bad">
        <strong>{unable.code}</strong> <Words text={unable.message} most={500} />{' '}
        <Words text={unable.hint} most={500} />
      </p>
    )}
    {unapplied.length > 0 && (
      <p class="banner">
        Schedules differ from portolan.yaml: {unapplied.join(', ')}.{' '}
        <Command text="portolan schedule apply" />
      </p>
    )}
  </div>
);

/** One line per concern, with links. */
const Attention = ({ concerns }: { readonly concerns: readonly Concern[] }) =>
  concerns.length === 0 ? null : (
    <Part id="attention" title="Needs attention">
      <ul class="reasons">
        {concerns.map(({ title, about }) => (
          <li>
            {title.charAt(0).toUpperCase() + title.slice(1)}:{' '}
            {about.slice(0, LINKS).map(({ text, href }, at) => (
              <>
                {at > 0 && ', '}
                <a href={href}>
                  <Words text={text} most={80} />
                </a>
              </>
            ))}
            {about.length > LINKS && ` and ${about.length - LINKS} more`}
          </li>
        ))}
      </ul>
    </Part>
  );

/** Links shown for one concern. */
const LINKS = 5;

const NothingToDo = ({ status: { backedUp, next } }: { readonly status: StatusView }) => {
  const [soonest] = next;
  return (
    <p id="well" class="well">
      <strong>Nothing needs attention.</strong>{' '}
      {backedUp !== undefined && backedUp.routes > 0 && (
        <>
          {countOf(backedUp.routes, 'route')} backed up
          {backedUp.oldestAt !== undefined && (
            <>
              , oldest <When at={backedUp.oldestAt} />
            </>
          )}
          .{' '}
        </>
      )}
      {soonest && (
        <>
          Next: <a href="/schedules">{soonest.schedule}</a> <When at={soonest.at} />.
        </>
      )}
    </p>
  );
};

interface RunsProps {
  readonly id: string;
  readonly title: string;
  readonly rows: StatusView['running'];
  readonly open: readonly RowWithRecord[];
}

const Runs = ({ id, title, rows, open }: RunsProps) => {
  if (rows.length === 0) return null;
  const shown = open.filter(({ row }) => rows.some(({ runId }) => runId === row.runId));
  return (
    <Part id={id} title={`${title} (${rows.length})`}>
      <ul class="cards">
        {shown.map((each) => (
          <li>
            <RunCard {...each} />
          </li>
        ))}
      </ul>
      {rows.length > shown.length && (
        <p>
          <a href="/runs">and {rows.length - shown.length} more</a>
        </p>
      )}
    </Part>
  );
};

const Overdue = ({ overdue }: Pick<StatusView, 'overdue'>) => (
  <Part id="overdue" title={`Overdue (${overdue.length})`}>
    <ul class="cards">
      {overdue.map(({ route, lastGood, maxAgeMs }) => (
        <li class="card bad">
          <p>
            <a href={`/backups/${encodeURIComponent(route)}`}>{route}</a>:{' '}
            {lastGood === undefined ? (
              'no good backup'
            ) : lastGood.goodAt === undefined ? (
              'last good backup is dated in the future'
            ) : (
              <>
                last good backup <When at={lastGood.goodAt} />
              </>
            )}
            {maxAgeMs !== undefined && `, maximum age: ${exactDuration(maxAgeMs)}`}
          </p>
          <Command text={`portolan backup create ${route}`} />
        </li>
      ))}
    </ul>
  </Part>
);

const Next = ({ status: { next } }: { readonly status: StatusView }) =>
  next.length === 0 ? null : (
    <Part id="next" title="Next runs">
      <ul class="plain">
        {next.map(({ schedule, kind, route, at }) => (
          <li>
            <a href="/schedules">{schedule}</a> {[kind, route].filter(Boolean).join(' ')} <When at={at} />
          </li>
        ))}
      </ul>
    </Part>
  );
