import type { RunView } from '../../../contract/runs';
import { ownLine } from '../../../model/text/plain-text';
import { hasTaken, phaseLines, settledWords } from '../../../service/run/phase-words';
import { runningProgress } from '../../../service/run/progress-words';
import { StatusMark } from '../parts/run-marks';
import { Part } from '../parts/table';
import { Took } from '../parts/when';

/** The phases of a run in order, each with its result and duration. */
export const Phases = ({ view: { record, pending } }: { readonly view: RunView }) => {
  const lines = phaseLines(record.phases);
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
              {ownLine(
                [settledWords(line), line.status === 'running' ? runningProgress(pending) : '']
                  .filter(Boolean)
                  .join('  ')
                  .slice(0, 400),
              )}
            </span>
          </li>
        ))}
      </ol>
    </Part>
  );
};
