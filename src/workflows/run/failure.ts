import {
  ActivityFailure,
  ApplicationFailure,
  CancelledFailure,
  isCancellation,
  TimeoutFailure,
} from '@temporalio/workflow';
import { type ErrorCode, isErrorCode, meaningOf } from '../../model/errors/error-codes';
import type { FailureDetails } from '../../model/errors/errors';
import type { ErrorRecord } from '../../model/run/run';
import type { RunState } from '../../model/run/run-state';

/** Ends a run from within the workflow, with an error code; `portal` if a portal is the cause. */
export function refusal(code: string, message: string, hint?: string, portal?: string): ApplicationFailure {
  const meaning = isErrorCode(code) ? meaningOf(code) : meaningOf('INTERNAL');
  const details: FailureDetails = { code, kind: meaning.kind, message, hint: hint ?? meaning.hint, portal };
  return ApplicationFailure.create({ type: code, message, nonRetryable: true, details: [details] });
}

/** The failure a failed run ends with in Temporal; it carries the run's state. */
export const failureOf = (state: RunState): ApplicationFailure =>
  ApplicationFailure.create({
    type: state.error?.code ?? 'INTERNAL',
    message: state.error?.message ?? 'the run failed',
    nonRetryable: true,
    details: [state],
  });

/** The cancellation a cancelled run ends with in Temporal; it carries the state (interceptors.ts). */
export const cancellationOf = (state: RunState): CancelledFailure =>
  new CancelledFailure(state.error?.message ?? 'the run was cancelled', [state]);

/** Rejects an answer that does not fit. The sender is told, and nothing changes. */
export const refuse = (message: string): ApplicationFailure => refusal('USAGE', message, '');

const transferCodes = new Set([
  'WRONG_LENGTH',
  'HASH_MISMATCH',
  'NO_SPACE',
  'TRANSFER_STALLED',
  'PACKAGE_MISSING',
  'STORE_FULL',
]);
const configCodes = new Set([
  'USAGE',
  'CONFIG_INVALID',
  'CONFIG_MISMATCH',
  'SECRET_UNREADABLE',
  'SAME_PORTAL',
  'INSECURE_URL',
]);

/** The portals of a run or change, by their names in portolan.yaml. */
export interface Origins {
  readonly source?: { readonly portal: string };
  readonly target?: { readonly portal: string };
}

const undecided: ReadonlySet<string> = new Set(['EXPORT_UNDECIDED', 'IMPORT_UNDECIDED']);

/** Whether a request to a portal may have started something although it failed. */
export function mayHaveBegun(thrown: unknown, route: Origins): boolean {
  const { code } = errorRecordOf(thrown, route);
  if (detailsIn(thrown)?.mayBeThere) return true;
  return undecided.has(code) || !isErrorCode(code) || meaningOf(code).begun === 'maybe';
}

function detailsIn(thrown: unknown): FailureDetails | undefined {
  const failure = thrown instanceof ActivityFailure ? thrown.cause : thrown;
  return failure instanceof ApplicationFailure
    ? (failure.details?.[0] as FailureDetails | undefined)
    : undefined;
}

/** The error record for whatever ended a run. */
export function errorRecordOf(thrown: unknown, route: Origins): ErrorRecord {
  if (isCancellation(thrown)) return ofTool('CANCELLED', 'the run was cancelled');
  const details = detailsIn(thrown);
  if (details?.code) {
    const { kind, code, message, hint, portalWords } = details;
    const words = portalWords && !message.includes(portalWords) ? `; portal message: "${portalWords}"` : '';
    return { kind, code, message: message + words, hint, origin: originOf(details, route) };
  }
  const failure = thrown instanceof ActivityFailure ? thrown.cause : thrown;
  if (failure instanceof TimeoutFailure)
    return ofTool(
      'TIMEOUT',
      'no worker finished the activity in time',
      'Check that a worker is running: portolan doctor. Then resume the run, or start it again.',
    );
  return ofTool('INTERNAL', failure instanceof Error ? failure.message : String(failure));
}

function ofTool(code: ErrorCode, message: string, hint = meaningOf(code).hint): ErrorRecord {
  return { origin: 'tool', kind: meaningOf(code).kind, code, message, hint };
}

function originOf(details: FailureDetails, route: Origins): ErrorRecord['origin'] {
  if (transferCodes.has(details.code)) return 'transfer';
  if (configCodes.has(details.code)) return 'config';
  if (details.portal === undefined) return 'tool';
  // Checked first, because a restore may go to its source portal.
  if (details.portal === route.target?.portal) return 'target';
  if (details.portal === route.source?.portal) return 'source';
  return 'tool';
}
