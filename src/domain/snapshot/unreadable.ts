import type { ErrorCode } from '../../model/errors/error-codes';
import { PortolanError } from '../../model/errors/errors';

/** A snapshot whose manifest cannot be read, because it was altered. */
export interface UnreadableSnapshot {
  readonly id: string;
  readonly code: ErrorCode;
  readonly why: string;
}

const ofTheFile: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'NOTE_ALTERED',
  'SNAPSHOT_ALTERED',
  'RELEASE_ALTERED',
  'STORE_BROKEN',
]);

/** A file that is not as it should be; what keeps the store from being read at all is thrown on. */
export function whyUnreadable(id: string, thrown: unknown): UnreadableSnapshot {
  const error = PortolanError.from(thrown);
  if (!ofTheFile.has(error.code)) throw thrown;
  return { id, code: error.code, why: error.plainMessage };
}
