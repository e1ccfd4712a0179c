import { partsOfGateId } from '../../../model/run/gate';
import { shortRunId } from '../../../model/run/run-id';
import { gateName, type GateView } from '../../../service/gate/gate-view';
import { Action, Reason } from '../parts/action';
import { RunLink } from '../parts/run-marks';
import { Part } from '../parts/table';
import { When } from '../parts/when';

interface GatePartProps {
  /** Workflow id of the gate in whose queue the run stands. */
  readonly gate: string;
  readonly view: GateView;
}

/** Who holds the gate for which a run waits; a place that nobody will give up any more can be taken away. */
export const GatePart = ({ gate, view: { holders, direction, portal } }: GatePartProps) =>
  partsOfGateId(gate) === undefined ? null : (
    <Part id="gate" title={`Who is in at ${gateName(gate)}`}>
      {holders.map(({ runId, since }) => (
        <details>
          <summary>
            {shortRunId(runId)} since <When at={since} />
          </summary>
          <p>
            <RunLink runId={runId} whole />
          </p>
          <Action
            {...{ button: 'Take its place away', right: 'operate', tone: 'danger' }}
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
