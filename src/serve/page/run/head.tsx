import type { ComponentChildren } from 'preact';
import { bytesText } from '../../../model/text/bytes-text';
import { routeWords, windowWords } from '../../../model/text/words';
import type { RunRecord } from '../../../model/run/run';
import { standingWords } from '../../../service/portal-queue/queue-words';
import { bannerWords, outcomeWords, runTitle } from '../../../service/run/run-words';
import type { RunView } from '../../../service/run/run-view';
import { RunLink, StatusMark } from '../parts/run-marks';
import { Facts, Notes } from '../parts/table';
import { Took, When } from '../parts/when';
import { Words } from '../parts/words';
import { useVisit } from '../visit';

const targetWords: Readonly<Record<RunRecord['target'], string>> = {
  untouched: 'The target is untouched.',
  changed: 'The target has changed.',
  unknown: 'The target may have changed.',
};

/** What a run is, from where to where, how it stands in words, and what became of the target. */
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

/** Where the run stands, in a sentence. */
const State = ({ record, open }: { readonly record: RunRecord; readonly open: boolean }) => {
  const { status, plan, parked, phases } = record;
  if (status === 'waiting')
    return (
      <>
        It waits for an approval
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
        It is parked{parked && ` in ${parked.phase}`} and waits for a person
        {parked && (
          <>
            {' '}
            until <When at={parked.until} />, then cleans up and ends as failed
          </>
        )}
        .
      </>
    );
  if (open || record.finishedAt === undefined) {
    const phase = phases.findLast((each) => each.status === 'running')?.name;
    return (
      <>
        {phase === undefined ? 'Running' : `In ${phase}, running`} for <Took from={record.startedAt} />.
      </>
    );
  }
  const outcome = outcomeWords(record);
  return (
    <>
      It ended <When at={record.finishedAt} /> after <Took from={record.startedAt} to={record.finishedAt} />
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
      {record.scheduledBy !== undefined && (
        <>
          {' '}
          for <Words text={record.scheduledBy} most={80} />
        </>
      )}
    </>,
  ]);
  if (parent !== undefined) facts.push(['in place of', <RunLink runId={parent} whole />]);
  if (queue) facts.push(['queue', <Words text={standingWords(queue, portalQueue, now)} most={300} />]);
  if (window)
    facts.push(['window', <Words text={`${windowWords(window)}, since ${window.why}`} most={300} />]);
  if (open && workers) facts.push(['workers', workers.length === 0 ? 'none is up' : workers.join(', ')]);
  if (packaged)
    facts.push(['package', `${bytesText(packaged.sizeBytes)}, sha256 ${packaged.sha256.slice(0, 12)}…`]);
  if (snapshot) facts.push(['snapshot', <code>{snapshot.id}</code>]);
  if (safeguard && safeguard.id !== snapshot?.id) facts.push(['saved', <code>{safeguard.id}</code>]);
  if (saved !== undefined) facts.push(['saved', <code>{saved}</code>]);
  if (taskRun)
    facts.push([
      'task',
      <Words
        text={`${taskRun.taskId} of ${taskRun.username} on ${taskRun.portal}: ${taskRun.said ?? 'not notified'}`}
      />,
    ]);
  if (banner) facts.push(['banner', bannerWords[banner.status]]);
  return facts;
}
