import { addressOfRun } from '../../../config/page-address';
import type { PhaseStatus, RunStatus } from '../../../model/run/phase';
import { oneLine } from '../../../model/text/plain-text';
import { shortRunId } from '../../../model/run/run-id';
import type { RunRecord } from '../../../model/run/run';
import { countWords } from '../../../model/text/words';
import { planActions } from '../../../model/transfer/plan';

/** The status of a run or a phase. */
export const StatusMark = ({
  status,
  text = status.replaceAll('-', ' '),
}: {
  readonly status: RunStatus | PhaseStatus;
  readonly text?: string;
}) => <span class={`mark ${status}`}>{text}</span>;

/** A link to a run, with its short or full ID. */
export const RunLink = ({ runId, whole = false }: { readonly runId: string; readonly whole?: boolean }) => (
  <a class="run-id" href={addressOfRun(runId)} title={oneLine(runId)}>
    {oneLine(whole ? runId : shortRunId(runId))}
  </a>
);

/** A plan in figures: `5 create  6 overwrite  2 keep`. */
export const PlanFigures = ({ figures }: { readonly figures: NonNullable<RunRecord['plan']> }) => {
  const some = planActions.filter((action) => (figures[action] ?? 0) > 0);
  if (some.length === 0) return <>No changes</>;
  return (
    <span class="figures">
      {some.map((action) => (
        <span class={`figure ${action}`}>
          <b>{countWords(figures[action] ?? 0)}</b> {action}
        </span>
      ))}
    </span>
  );
};
