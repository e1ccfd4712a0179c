import type { RunRecord } from './run';

/** Whether a run ended, or is parked, since its import job failed; the job of an export does not count. */
export const hasImportFailed = ({
  error,
  parked,
  phases,
}: Pick<RunRecord, 'error' | 'parked' | 'phases'>): boolean =>
  (parked?.code ?? error?.code) === 'JOB_FAILED' &&
  phases.some(({ name, status }) => name === 'wait-import' && (status === 'failed' || status === 'parked'));
