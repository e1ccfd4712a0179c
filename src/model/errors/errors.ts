import { type ErrorCode, type ErrorKind, type ErrorMeaning, meaningOf } from './error-codes';

/** Further facts. Never holds a secret: it is written to history, records and logs. */
interface ErrorFacts {
  /** Name of the portal in portolan.yaml. */
  readonly portal?: string;
  /** Operation that was called, such as `group.export`. */
  readonly operation?: string;
  /** HTTP status, where one was received. */
  readonly httpStatus?: number;
  /** `error.code` of the portal's answer. */
  readonly portalCode?: number;
  /** The portal message, with its details, cut at 500 characters. */
  readonly portalWords?: string;
  /** Milliseconds after which the portal said to come back (`Retry-After`). */
  readonly retryAfterMs?: number;
  /** Time spent on retries: no more retries, whatever the table says. @format milliseconds */
  readonly triedForMs?: number;
  /** For a repeated write: whether one attempt may have written. */
  readonly mayBeThere?: boolean;
  /** Overrides the table's hint if more is known. */
  readonly hint?: string;
  readonly [more: string]: unknown;
}

/**
 * The one error class of Portolan. Its `code` is one of a closed set, and the table of codes decides
 * about retry, hint and exit status.
 */
export class PortolanError extends Error {
  override readonly name = 'PortolanError';

  constructor(
    readonly code: ErrorCode,
    readonly plainMessage: string,
    readonly facts: ErrorFacts = {},
    options: { cause?: unknown } = {},
  ) {
    super(`[${code}] ${plainMessage}`, options);
  }

  get meaning(): ErrorMeaning {
    return meaningOf(this.code);
  }

  get hint(): string {
    return this.facts.hint ?? this.meaning.hint;
  }

  /** Converts anything thrown to a PortolanError; unknown errors become `INTERNAL`. */
  static from(thrown: unknown): PortolanError {
    if (thrown instanceof PortolanError) return thrown;
    const message = thrown instanceof Error ? thrown.message : String(thrown);
    return new PortolanError('INTERNAL', message, {}, { cause: thrown });
  }

  /** Whether it is an error with one of these codes. */
  static is(thrown: unknown, ...codes: readonly ErrorCode[]): thrown is PortolanError {
    return thrown instanceof PortolanError && codes.includes(thrown.code);
  }

  /** The same error with more facts. */
  with(facts: ErrorFacts): PortolanError {
    return new PortolanError(
      this.code,
      this.plainMessage,
      { ...this.facts, ...facts },
      { cause: this.cause },
    );
  }
}

/**
 * An error as sent through Temporal: `details[0]` of every failure of Portolan, and all that the history shows of
 * it.
 */
export interface FailureDetails {
  readonly code: string;
  readonly kind: ErrorKind;
  readonly message: string;
  readonly hint: string;
  readonly portal?: string;
  readonly portalWords?: string;
  /** Last status of a job that did not end in time. */
  readonly lastStatus?: string;
  /** How long it was tried, where the time for repeats is over. @format milliseconds */
  readonly triedForMs?: number;
  /** An attempt may have written, whatever the last one returned. */
  readonly mayBeThere?: boolean;
}
