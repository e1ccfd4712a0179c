import type { RunView } from '../../../contract/runs';
import { hasTaken, phaseDetail, phaseLines } from '../../../service/run/phases-sheet';
import { StatusMark } from '../parts/run-marks';
import { Shown } from '../parts/sheet';
import { Part } from '../parts/table';
import { Took } from '../parts/when';

/** The phases of a run in order, each with its result and duration. */
export const Phases = ({ view }: { readonly view: RunView }) => {
  const lines = phaseLines(view.record.phases);
  if (lines.length === 0) return null;
  return (
    <Part id="phases" title="Phases">
      <ol class="phases">
        {lines.map((line) => (
          <li class={line.status}>
            <span class="phase">
              {line.name}{' '}
              <span class="took">
                {hasTaken(line) && <Took from={line.startedAt} to={line.finishedAt} />}
              </span>
            </span>
            <StatusMark status={line.status} />
            <span class="detail">
              <Shown value={phaseDetail(line, view)} />
            </span>
          </li>
        ))}
      </ol>
    </Part>
  );
};
