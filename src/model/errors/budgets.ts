/**
 * Retry limits. Plain numbers, because workflow code reads them too; docs/reference/errors.md is generated from
 * them.
 */

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const DAY = 24 * 60 * MINUTE;

/** Reads and checks after a write: time without success or progress. @format milliseconds */
export const READS_FAIL_MS = 30 * MINUTE;

/** The first pause before a repeat; each later one is twice as long, up to the longest. @format milliseconds */
export const FIRST_PAUSE_MS = SECOND;
/** @format milliseconds */
export const LONGEST_PAUSE_MS = 30 * SECOND;

/** Longest `Retry-After` that is honored. @format milliseconds */
export const RETRY_AFTER_MAX_MS = 5 * MINUTE;

/**
 * Calls of any kind, a poll beyond its job's deadline, however they go and whether a worker is up or not: what fails ends
 * itself long before, and a worker that comes back after a long weekend goes on. @format milliseconds
 */
export const CALLS_END_MS = 7 * DAY;

/** Time without any effect after which a write with a lost response counts as not started. @format milliseconds */
export const SETTLE_MS = MINUTE;

/** How often an export is sent if its response was lost and no package appeared; then a person decides. */
export const EXPORT_ROUNDS_MAX = 2;

/** A transfer goes on, attempt after attempt, as long as bytes come; this long without a new one ends it. @format milliseconds */
export const TRANSFER_STALLS_MS = 10 * MINUTE;

/**
 * Bytes that come more slowly than this, on average over that time, are no progress: at this rate the smallest file that
 * goes in parts takes a day and the largest package two months, and the slowest line by which anybody reaches a portal is
 * ten times faster. @format bytes a second
 */
export const TRANSFER_LEAST_RATE = 1_024;
/**
 * Counts at most this much of a pause between two bytes: an unreachable portal is not a slow one.
 * @format milliseconds
 */
export const TRANSFER_PAUSE_COUNTS_MS = 2 * MINUTE;

/** Time of failed polls after which Portolan gives up, although the job may continue. @format milliseconds */
export const POLLS_FAIL_MS = 30 * MINUTE;

/** A job may be unknown for a moment after it was started. @format milliseconds */
export const JOB_UNKNOWN_MS = MINUTE;

/** Portals join parts and index the item within moments; one that needs longer has lost it. @format milliseconds */
export const PACKAGE_READABLE_MS = 30 * MINUTE;
