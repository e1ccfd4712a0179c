import type { RunRecord } from './run';

/**
 * Whether the last import job of a run failed as a whole; the job of an export does not count. Records of earlier
 * versions say so only as long as nothing else ended the run.
 */
export const hasImportFailed = ({
  importFailure,
  error,
  parked,
  phases,
}: Pick<RunRecord, 'importFailure' | 'error' | 'parked' | 'phases'>): boolean =>
  importFailure !== undefined ||
  ((parked?.code ?? error?.code) === 'JOB_FAILED' &&
    phases.some(
      ({ name, status }) => name === 'wait-import' && (status === 'failed' || status === 'parked'),
    ));
