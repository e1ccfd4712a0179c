import { addressOfRun } from '../../../config/page-address';
import type { PhaseStatus, RunStatus } from '../../../model/run/phase';
import { oneLine } from '../../../model/text/plain-text';
import { shortRunId } from '../../../model/run/run-id';

/** Where a run, or a part of one, stands. */
export const StatusMark = ({ status }: { readonly status: RunStatus | PhaseStatus }) => (
  <span class={`mark ${status}`}>{status.replaceAll('-', ' ')}</span>
);

/** Leads to a run; its id as people type it, or all of it. */
export const RunLink = ({ runId, whole = false }: { readonly runId: string; readonly whole?: boolean }) => (
  <a class="run-id" href={addressOfRun(runId)} title={oneLine(runId)}>
    {oneLine(whole ? runId : shortRunId(runId))}
  </a>
);
