import { setTimeout as sleep } from 'node:timers/promises';
import { PortolanError } from '../../model/errors/errors';
import type { CallOptions } from '../../portal/http/request';
import { limiter, REQUESTS_AT_A_TIME } from '../../portal/http/limiter';

/** Runs one portal request, limited in concurrency, with retries. */
export type Retry = <T>(task: () => Promise<T>) => Promise<T>;

/** Maximum attempts of a request. */
const ATTEMPTS = 3;
/** @format milliseconds */
const FIRST_PAUSE_MS = 250;
/** Maximum pause granted to a portal; the activity around the check can wait longer. @format milliseconds */
const LONGEST_PAUSE_MS = 10_000;

/** Requests to one portal, limited in concurrency; transient errors are retried after a pause. */
export function retrier(signal?: AbortSignal): Retry {
  const limited = limiter(REQUESTS_AT_A_TIME);
  return (task) => limited(() => repeated(task, signal));
}

async function repeated<T>(task: () => Promise<T>, signal?: AbortSignal): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await task();
    } catch (thrown) {
      const error = PortolanError.from(thrown);
      if (attempt >= ATTEMPTS || error.meaning.kind !== 'transient') throw error;
      const pause = error.facts.retryAfterMs ?? FIRST_PAUSE_MS * 4 ** (attempt - 1);
      await sleep(Math.min(pause, LONGEST_PAUSE_MS), undefined, { signal }).catch(() => {
        throw new PortolanError('ABORTED', 'The check was stopped.');
      });
    }
  }
}

/** Time limit of each attempt of an optional read. @format milliseconds */
const OPTIONAL_TIMEOUT_MS = 15_000;

/**
 * An optional read. Any failure gives undefined after few short attempts: an unreachable portal shows in the
 * required reads.
 * @throws PortolanError ABORTED, INTERNAL
 */
export async function optional<T>(
  read: (options: CallOptions) => Promise<T>,
  options?: CallOptions,
): Promise<T | undefined> {
  try {
    return await repeated(() => read({ timeoutMs: OPTIONAL_TIMEOUT_MS, ...options }), options?.signal);
  } catch (thrown) {
    const error = PortolanError.from(thrown);
    if (error.code === 'ABORTED' || error.code === 'INTERNAL') throw error;
    return undefined;
  }
}

/**
 * Errors that concern the whole portal: unreachable, or access denied. They are rethrown so that the whole check is
 * repeated.
 */
const ofThePortal: ReadonlySet<string> = new Set([
  'DNS_FAILED',
  'CONNECTION_REFUSED',
  'TLS_FAILED',
  'CREDENTIALS_REFUSED',
  'TOKEN_REFUSED',
  'SECRET_UNREADABLE',
  'NO_USER',
  'ABORTED',
  'INTERNAL',
]);

/** Why one read failed, as text; rethrows errors that concern the whole portal. */
export function reasonOf(thrown: unknown): string {
  const error = PortolanError.from(thrown);
  if (ofThePortal.has(error.code)) throw error;
  return error.plainMessage;
}

/** The same for a service, which may run on another machine: only an abort is rethrown. */
export function serviceReasonOf(thrown: unknown): string {
  const error = PortolanError.from(thrown);
  if (error.code === 'ABORTED' || error.code === 'INTERNAL') throw error;
  return error.plainMessage;
}
