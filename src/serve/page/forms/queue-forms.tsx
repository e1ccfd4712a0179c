import type { PortalQueueView } from '../../../contract/queues';
import { parsePortalQueueId } from '../../../model/run/portal-queue';
import { shortRunId } from '../../../model/run/run-id';
import { Action } from '../actions/action';
import { RunLink } from '../parts/run-marks';
import { Part } from '../parts/table';
import { Took } from '../parts/when';

interface QueuePartProps {
  /** Workflow ID of the portal queue in which the run waits. */
  readonly queue: string;
  readonly view: PortalQueueView;
}

/** Runs that hold the slots for which a run waits; a slot that will not be given up can be freed. */
export const QueuePart = ({ queue, view: { holders, direction, portal } }: QueuePartProps) =>
  parsePortalQueueId(queue) === undefined ? null : (
    <Part id="queue" title={direction === 'import' ? `Importing into ${portal}` : `Exporting from ${portal}`}>
      {holders.map(({ runId, since }) => (
        <details>
          <summary>
            {shortRunId(runId)} for <Took from={since} />
          </summary>
          <p>
            <RunLink runId={runId} whole />
          </p>
          <Action of="releaseSlot" with="shared" known={{ portal, direction, run: runId, since }}>
            <p class="fine">Does not stop the run's job on the portal.</p>
          </Action>
        </details>
      ))}
    </Part>
  );
