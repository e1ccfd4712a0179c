import type { ErrorCode } from '../../model/errors/error-codes';
import { PortolanError } from '../../model/errors/errors';
import { isFaultOfFile } from '../../store/authentic/authentic-store';

/** A snapshot whose manifest cannot be read, because it was altered. */
export interface UnreadableSnapshot {
  readonly id: string;
  readonly code: ErrorCode;
  readonly why: string;
}

/** A file that is not as it should be; what keeps the store from being read at all is thrown on. */
export function whyUnreadable(id: string, thrown: unknown): UnreadableSnapshot {
  if (!isFaultOfFile(thrown)) throw thrown;
  const { code, plainMessage } = PortolanError.from(thrown);
  return { id, code, why: plainMessage };
}
