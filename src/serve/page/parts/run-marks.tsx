import { addressOfRun } from '../../../config/page-address';
import type { PhaseStatus, RunStatus } from '../../../model/run/phase';
import { oneLine } from '../../../model/text/plain-text';
import { shortRunId } from '../../../model/run/run-id';

/** The status of a run or a phase. */
export const StatusMark = ({ status }: { readonly status: RunStatus | PhaseStatus }) => (
  <span class={`mark ${status}`}>{status.replaceAll('-', ' ')}</span>
);

/** A link to a run, with its short or full ID. */
export const RunLink = ({ runId, whole = false }: { readonly runId: string; readonly whole?: boolean }) => (
  <a class="run-id" href={addressOfRun(runId)} title={oneLine(runId)}>
    {oneLine(whole ? runId : shortRunId(runId))}
  </a>
);
