import { setTimeout as sleep } from 'node:timers/promises';
import { PortolanError } from '../../model/errors/errors';
import type { CallOptions } from '../../portal/http/request';
import { limiter, REQUESTS_AT_A_TIME } from '../../portal/http/limiter';

/** Runs one request to a portal: within the limit of requests at a time, and again where that may help. */
export type Retry = <T>(task: () => Promise<T>) => Promise<T>;

/** How often one request is tried in all before its answer counts as missing. */
const ATTEMPTS = 3;
/** @format milliseconds */
const FIRST_PAUSE_MS = 250;
/** A portal that asks for a longer pause gets this one; the activity around the check has patience for more. @format milliseconds */
const LONGEST_PAUSE_MS = 10_000;

/** Requests to one portal, so many at a time; what goes away by itself is tried again after a pause. */
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

/** How long each try of a read waits without which a check goes on. @format milliseconds */
const OPTIONAL_TIMEOUT_MS = 15_000;

/**
 * A read without whose answer a check goes on. Whatever goes wrong gives undefined, after few and short
 * tries: a portal that is out of reach shows itself in the reads that are needed.
 *
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
 * Errors that say nothing about one item: the portal is out of reach, or we are not let in. They are
 * thrown on, so that whoever runs the check repeats it as a whole.
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

/** Why one question has no answer, in words; throws on what is no matter of this question. */
export function reasonOf(thrown: unknown): string {
  const error = PortolanError.from(thrown);
  if (ofThePortal.has(error.code)) throw error;
  return error.plainMessage;
}

/** The same for a service, which may live on a machine of its own: only an abort is thrown on. */
export function serviceReasonOf(thrown: unknown): string {
  const error = PortolanError.from(thrown);
  if (error.code === 'ABORTED' || error.code === 'INTERNAL') throw error;
  return error.plainMessage;
}
