import type { ComponentChildren } from 'preact';
import type { RunView } from '../../../contract/runs';
import { bytesText, routeWords, windowWords } from '../../../model/text/words';
import type { RunRecord } from '../../../model/run/run';
import { isPartOf } from '../../../model/run/run-id';
import { standingWords } from '../../../service/portal-queue/queue-words';
import { bannerWords, outcomeWords, runTitle, scheduleBesides } from '../../../service/run/run-words';
import { RunLink, StatusMark } from '../parts/run-marks';
import { Facts, Notes } from '../parts/table';
import { Took, When } from '../parts/when';
import { Words } from '../parts/words';
import { useVisit } from '../visit';

const targetWords: Readonly<Record<RunRecord['target'], string>> = {
  untouched: 'The target is unchanged.',
  changed: 'The target has changed.',
  unknown: 'The target may have changed.',
};

/** The title, route and state of a run, and whether the target has changed. */
export const Head = ({ view }: { readonly view: RunView }) => {
  const { record, notes, open } = view;
  return (
    <div id="head">
      <h1>
        <Words text={runTitle(record)} most={100} /> <StatusMark status={record.status} />
      </h1>
      <p class="fine">
        <code>{record.runId}</code>
      </p>
      <p class="lead">
        <State record={record} open={open} />{' '}
        {record.route.target && <span class={`target ${record.target}`}>{targetWords[record.target]}</span>}
      </p>
      <Notes notes={notes} />
      <Facts facts={useFacts(view)} />
    </div>
  );
};

/** How a run relates to its parent run. */
function parentLabel({ runId, kind }: RunRecord, parent: string): string {
  if (isPartOf(runId, parent)) return 'child run of';
  return kind === 'rollback' || kind === 'bisect' ? `${kind} of` : 'retry or restart of';
}

/** The state of the run in a sentence. */
const State = ({ record, open }: { readonly record: RunRecord; readonly open: boolean }) => {
  const { status, plan, parked, phases } = record;
  if (status === 'waiting')
    return (
      <>
        Waiting for approval
        {plan && (
          <>
            {' '}
            of plan <code>{plan.hash}</code>
          </>
        )}
        .
      </>
    );
  if (status === 'parked')
    return (
      <>
        Parked{parked && ` in ${parked.phase}`}.
        {parked && (
          <>
            {' '}
            Without a decision, it cleans up and fails <When at={parked.until} />.
          </>
        )}
      </>
    );
  if (open || record.finishedAt === undefined) {
    const phase = phases.findLast((each) => each.status === 'running')?.name;
    return (
      <>
        Running for <Took from={record.startedAt} />
        {phase !== undefined && `, now in ${phase}`}.
      </>
    );
  }
  const outcome = outcomeWords(record);
  return (
    <>
      Ended <When at={record.finishedAt} /> after <Took from={record.startedAt} to={record.finishedAt} />
      {outcome !== '' && (
        <>
          : <Words text={outcome} most={300} />
        </>
      )}
      .
    </>
  );
};

function useFacts({ record, workers, portalQueue, open }: RunView): [string, ComponentChildren][] {
  const { now } = useVisit();
  const {
    route,
    parent,
    queue,
    window,
    package: packaged,
    snapshot,
    safeguard,
    saved,
    taskRun,
    banner,
  } = record;
  const schedule = scheduleBesides(record);
  const facts: [string, ComponentChildren][] = [['route', <Words text={routeWords(route)} most={300} />]];
  facts.push([
    'started',
    <>
      <When at={record.startedAt} />
      {record.startedBy !== undefined && (
        <>
          {' '}
          by <Words text={record.startedBy} most={80} />
        </>
      )}
      {schedule !== undefined && (
        <>
          {' '}
          for schedule <Words text={schedule} most={80} />
        </>
      )}
    </>,
  ]);
  if (parent !== undefined) facts.push([parentLabel(record, parent), <RunLink runId={parent} whole />]);
  if (queue) facts.push(['queue', <Words text={standingWords(queue, portalQueue, now)} most={300} />]);
  if (window) facts.push(['window', <Words text={`${windowWords(window)}: ${window.why}`} most={300} />]);
  if (open && workers) facts.push(['workers', workers.length === 0 ? 'none running' : workers.join(', ')]);
  if (packaged)
    facts.push(['package', `${bytesText(packaged.sizeBytes)}, sha256 ${packaged.sha256.slice(0, 12)}…`]);
  if (snapshot) facts.push(['snapshot', <code>{snapshot.id}</code>]);
  if (safeguard && safeguard.id !== snapshot?.id) facts.push(['safeguard', <code>{safeguard.id}</code>]);
  if (saved !== undefined) facts.push(['previous values', <code>{saved}</code>]);
  if (taskRun)
    facts.push([
      'task',
      <Words
        text={`${taskRun.taskId} of ${taskRun.username} on ${taskRun.portal}: ${taskRun.said ?? 'not reported yet'}`}
      />,
    ]);
  if (banner) facts.push(['banner', bannerWords[banner.status]]);
  return facts;
}
