import type { ErrorCode } from '../model/errors/error-codes';
import { PortolanError } from '../model/errors/errors';

/** Whoever watches puts up with failures for so long, as while a server restarts. @format milliseconds */
const LOST_MS = 30_000;

/** Errors that stay however often one asks. */
const lasting: ReadonlySet<ErrorCode> = new Set([
  'KEY_REFUSED',
  'RIGHT_MISSING',
  'RUN_NOT_FOUND',
  'SERVER_ANSWER',
  'USAGE',
]);

/** Passes over failures in a row while they may end by themselves. */
export class Patience {
  private lostAt: number | undefined;

  renew(): void {
    this.lostAt = undefined;
  }

  /** Throws an error that lasts. */
  bear(thrown: unknown): void {
    const error = PortolanError.from(thrown);
    this.lostAt ??= Date.now();
    if (lasting.has(error.code) || Date.now() - this.lostAt > LOST_MS) throw error;
  }
}
