import type { RunEvent } from '../../../contract/runs';
import { addressOfRun } from '../../../config/page-address';
import { countOf } from '../../../model/text/words';
import { eventTable } from '../../../service/run/run-sheet';
import { RunLink } from '../parts/run-marks';
import { BlockPart } from '../parts/sheet';

/** Events on one page. */
export const EVENTS_ON_PAGE = 200;

interface EventsProps {
  readonly runId: string;
  readonly events: readonly RunEvent[];
  /** Index of the first event shown. */
  readonly from: number;
}

/** The events of a run, from its Temporal history. */
export const EventsPage = ({ runId, events, from }: EventsProps) => {
  const end = from + EVENTS_ON_PAGE;
  const at = (start: number): string => `${addressOfRun(runId)}/events?from=${start}`;
  return (
    <>
      <h1>
        Events of <RunLink runId={runId} />
      </h1>
      <p class="fine">{countOf(events.length, 'event')}</p>
      <BlockPart block={eventTable(events.slice(from, end))} name="Events" />
      <nav class="pages" aria-label="Event pages">
        {from > 0 && <a href={at(Math.max(0, from - EVENTS_ON_PAGE))}>Previous</a>}
        {end < events.length && <a href={at(end)}>Next</a>}
      </nav>
    </>
  );
};
