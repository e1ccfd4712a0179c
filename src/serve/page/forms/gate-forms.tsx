import { partsOfGateId } from '../../../model/run/gate';
import { shortRunId } from '../../../model/run/run-id';
import type { GateView } from '../../../service/gate/gate-view';
import { Action, Reason } from '../parts/action';
import { RunLink } from '../parts/run-marks';
import { Part } from '../parts/table';
import { When } from '../parts/when';

interface GatePartProps {
  /** Workflow ID of the portal queue in which the run waits. */
  readonly gate: string;
  readonly view: GateView;
}

/** The runs that hold the slots a run waits for. A slot that its run will never give back can be freed. */
export const GatePart = ({ gate, view: { holders, direction, portal } }: GatePartProps) =>
  partsOfGateId(gate) === undefined ? null : (
    <Part id="gate" title={direction === 'import' ? `Importing into ${portal}` : `Exporting from ${portal}`}>
      {holders.map(({ runId, since }) => (
        <details>
          <summary>
            {shortRunId(runId)} since <When at={since} />
          </summary>
          <p>
            <RunLink runId={runId} whole />
          </p>
          <Action
            {...{ button: 'Free slot', right: 'operate', tone: 'danger' }}
            to={`/gates/${encodeURIComponent(portal)}/${direction}/release`}
            command={`portolan gate release ${portal}/${direction} ${shortRunId(runId)} --reason "..."`}
            sent={{ run: runId, since }}
          >
            <Reason isNeeded />
          </Action>
        </details>
      ))}
    </Part>
  );
