import type { ErrorCode } from '../model/errors/error-codes';
import { PortolanError } from '../model/errors/errors';

/** How long failures are tolerated while watching, such as while a server restarts. @format milliseconds */
const LOST_MS = 30_000;

/** Errors that another try does not end. */
const lasting: ReadonlySet<ErrorCode> = new Set([
  'KEY_REFUSED',
  'RIGHT_MISSING',
  'RUN_NOT_FOUND',
  'SERVER_ANSWER',
  'USAGE',
]);

/** Tolerates failures in a row that may end by themselves. */
export class Patience {
  private lostAt: number | undefined;

  renew(): void {
    this.lostAt = undefined;
  }

  /** Throws the error if it lasts, or has lasted too long. */
  bear(thrown: unknown): void {
    const error = PortolanError.from(thrown);
    this.lostAt ??= Date.now();
    if (lasting.has(error.code) || Date.now() - this.lostAt > LOST_MS) throw error;
  }
}
