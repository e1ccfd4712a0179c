import { addressOfRun } from '../../../config/page-address';
import { countOf } from '../../../model/text/words';
import type { RunEvent } from '../../../service/run/run-event-view';
import { RunLink } from '../parts/run-marks';
import { Table } from '../parts/table';
import { When } from '../parts/when';
import { Words } from '../parts/words';

/** So many steps are on a page. */
export const EVENTS_ON_PAGE = 200;

interface EventsProps {
  readonly runId: string;
  readonly events: readonly RunEvent[];
  /** The first that is shown, from 0. */
  readonly from: number;
}

/** What happened to a run, as its history in Temporal tells it. */
export const EventsPage = ({ runId, events, from }: EventsProps) => {
  const end = from + EVENTS_ON_PAGE;
  const at = (start: number): string => `${addressOfRun(runId)}/events?from=${start}`;
  return (
    <>
      <h1>
        What happened to <RunLink runId={runId} />
      </h1>
      <p class="fine">{countOf(events.length, 'step')}</p>
      <Table name="Steps" head={['When', 'What it is about', 'What happened']}>
        <tbody>
          {events.slice(from, end).map(({ at: moment, kind, subject, what }) => (
            <tr class={kind}>
              <td>
                <When at={moment} />
              </td>
              <td>
                <Words text={subject} />
              </td>
              <td>
                <Words text={what} most={400} />
              </td>
            </tr>
          ))}
        </tbody>
      </Table>
      <nav class="pages" aria-label="Pages of steps">
        {from > 0 && <a href={at(Math.max(0, from - EVENTS_ON_PAGE))}>Before</a>}
        {end < events.length && <a href={at(end)}>Further</a>}
      </nav>
    </>
  );
};
