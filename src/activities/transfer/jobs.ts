import { tagPackage } from '../../domain/transfer/own-packages';
import type { Portal } from '../../portal/client';
import { readItem } from '../../portal/resources/items/items';
import { type Job, readJob } from '../../portal/resources/jobs';
import {
  exportListsInMessages,
  packageItemIn,
  resultListsIn,
  type StartedJob,
} from '../../portal/http/transfer-answer';
import { withIds } from '../../portal/http/ids';
import { knownError } from '../../portal/known-errors';
import { JOB_UNKNOWN_MS, POLLS_FAIL_MS } from '../../model/errors/budgets';
import type { ErrorCode } from '../../model/errors/error-codes';
import { PortolanError } from '../../model/errors/errors';
import {
  type JobOutcome,
  type JobProgress,
  jobLists,
  type JobLists,
  sizesOf,
  type JobHandle,
} from '../../model/transfer/job';
import { keys } from '../../store/keys';
import type { ActivityDeps } from '../deps';
import { notYet, retriesExhaustedError } from '../attempt/failure';
import { lastProgress, progress, unattendedMs, activityTime } from '../attempt/heartbeat';
import { type PortalFacts, requireUser } from '../../domain/transfer/portal-facts';
import { exportSince } from '../../portal/resources/group-export';
import { atLeast } from '../../portal/http/versions';
import { openNote, sealedNote, sealNote } from '../../store/encrypted/sealed-note';
import type { Control } from '../../domain/control/control';

const JOB_KEY = 'job key';

const keyOfRun = (control: Control, runId: string): Buffer => control.derive('job keys', runId);

/** A job key for history, sealed with a key derived from the control key and the run. */
export function sealKey(control: Control, runId: string, key: string): string {
  const note = sealNote(keyOfRun(control, runId), JOB_KEY, key);
  return Buffer.from(JSON.stringify(note)).toString('base64url');
}

/** A portal job for history. */
export async function sealJob(
  { openControl }: Pick<ActivityDeps, 'openControl'>,
  runId: string,
  { jobId, key }: StartedJob,
): Promise<JobHandle> {
  const sealedKey = key ? sealKey(await openControl(), runId, key) : undefined;
  return { kind: 'job', jobId, sealedKey };
}

/** Throws SECRET_CHANGED if the control key is no longer the one that sealed it. */
export function unsealKey(control: Control, runId: string, sealed: string): string {
  try {
    const note = sealedNote.parse(JSON.parse(Buffer.from(sealed, 'base64url').toString()));
    return openNote(keyOfRun(control, runId), JOB_KEY, note, JOB_KEY);
  } catch {
    throw new PortolanError(
      'SECRET_CHANGED',
      'the key of the job cannot be read with the current control key',
    );
  }
}

export interface PollJob {
  readonly runId: string;
  readonly portal: string;
  readonly portalId: string;
  /** Name of the job's lists in the store. */
  readonly name: 'export' | 'safeguard' | 'import';
  /** Index of the package, from 0. */
  readonly packageIndex: number;
  readonly jobId: string;
  readonly sealedKey?: string;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  readonly deadlineAt: number;
  /** Who makes the package of an export, which is tagged as Portolan's. */
  readonly maker: Maker;
}

/** Growth per time elapsed: with the duration of a poll, a job's end is seen within 15 % of it. */
const GROWTH = 0.13;
const FIRST_DELAY_MS = 1_000;
/** Longest pause after a portal failed to respond, however long its job has run. */
const AFTER_ERROR_MS = 30_000;

/**
 * Pause before the next poll of a job: a second at first, then longer, so that one hour takes at most 60 polls.
 * @param elapsedMs since it was started
 * @format milliseconds
 */
export const untilNextLook = (elapsedMs: number): number => Math.max(FIRST_DELAY_MS, GROWTH * elapsedMs);

/**
 * Polls a job once. If it is still running, ends in a benign failure that Temporal retries later, so that waiting holds
 * no worker slot and adds no events. Throws JOB_FAILED; DISK_FULL if it lacked space; PACKAGE_TOO_LARGE if an export
 * exceeded the portal's limit; JOB_DEADLINE with the last status; JOB_LOST.
 */
export async function pollJob(
  deps: Pick<ActivityDeps, 'portals' | 'store' | 'openControl'>,
  input: PollJob,
): Promise<JobOutcome> {
  const { portals, store, openControl } = deps;
  const before = { consecutiveErrors: 0, ...lastProgress<JobProgress>() };
  const elapsedMs = activityTime() - input.startedAt;
  const delay = untilNextLook(elapsedMs);
  const pastDeadline = activityTime() >= input.deadlineAt;
  /** "Not yet", at most until just after the deadline. */
  const lookAgain = (what: string, delayMs: number): Error =>
    notYet(what, Math.min(delayMs, Math.max(0, input.deadlineAt - activityTime()) + 1));
  const portal = portals.open(input.portal);
  const key = input.sealedKey && unsealKey(await openControl(), input.runId, input.sealedKey);
  let job;
  try {
    job = await readJob(portal, input.portalId, input.jobId, { key });
  } catch (thrown) {
    const error = lookError(thrown);
    const errorsSince =
      before.errorsSince === undefined ? activityTime() : before.errorsSince + unattendedMs();
    progress({
      consecutiveErrors: before.consecutiveErrors + 1,
      errorsSince,
    });
    const mayStillCome = error.code === 'JOB_LOST' && elapsedMs < JOB_UNKNOWN_MS;
    if (error.meaning.kind === 'permanent' && !mayStillCome) throw error;
    const failedMs = activityTime() - errorsSince;
    if (failedMs > POLLS_FAIL_MS) throw retriesExhaustedError(error, failedMs);
    if (pastDeadline) throw deadline(input, before.lastStatus, elapsedMs);
    throw lookAgain(
      `the ${input.name} job could not be read: ${error.message}`,
      error.facts.retryAfterMs || Math.min(delay, AFTER_ERROR_MS),
    );
  }

  progress({ lastStatus: job.status, consecutiveErrors: 0, errorsSince: undefined } satisfies JobProgress);
  switch (job.phase) {
    case 'failed':
      await claimPackage(portal, input, job);
      throw jobFailed(portal, input, job);
    case 'running':
      if (pastDeadline) throw deadline(input, job.status, elapsedMs);
      throw lookAgain(`the ${input.name} job is "${job.status}"`, delay);
    case 'succeeded': {
      const lists = withIds({ portal: input.portal, operation: 'job.read' }, () => listsOf(job, input.name));
      // Without lists, results are read from the target, so missing lists are not saved as empty ones.
      if (lists) await store.writeJson(keys.jobLists(input.runId, input.name, input.packageIndex), lists);
      const packageItemId = packageIn(input, job);
      const { runId, maker } = input;
      const unmarked =
        packageItemId && (await markAsOurs(deps, { runId, portal: maker, itemId: packageItemId }));
      return {
        status: job.status,
        packageItemId,
        unmarked,
        lists: lists && sizesOf(lists),
      };
    }
  }
}

/** A portal without space to respond to a poll says nothing about the job. */
function lookError(thrown: unknown): PortolanError {
  const error = PortolanError.from(thrown);
  if (error.code !== 'DISK_FULL') return error;
  return new PortolanError('SERVER_ERROR', error.plainMessage, error.facts, { cause: error });
}

function jobFailed(portal: Portal, input: PollJob, { messages, status }: Job): PortolanError {
  const words = messages.slice(-3).join(' / ');
  const known = knownError({ words });
  return new PortolanError(
    ofItsOwn(input, known?.code) ?? 'JOB_FAILED',
    `${input.portal} ended the ${input.name} job as "${status}"`,
    {
      portal: input.portal,
      portalWords: portal.excerpt(words) || undefined,
      lastStatus: status,
      hint: known?.hint,
    },
  );
}

/**
 * Causes a run can handle itself: an oversized export is split. Any other job failed as a whole, and a bisect can find
 * the cause.
 */
const ofItsOwn = ({ name }: PollJob, code: ErrorCode | undefined): ErrorCode | undefined =>
  code === 'DISK_FULL' || (code === 'PACKAGE_TOO_LARGE' && name !== 'import') ? code : undefined;

/** A failed job may still name a package: tagged as Portolan's, it is deleted with the others. */
async function claimPackage(portal: Portal, input: PollJob, job: Job): Promise<void> {
  const { runId } = input;
  try {
    const itemId = packageIn(input, job);
    if (!itemId) return;
    const { owner } = await readItem(portal, itemId);
    if (owner) await tagPackage(portal, { owner, itemId, runId });
  } catch (thrown) {
    if (PortolanError.from(thrown).meaning.kind !== 'permanent') throw thrown;
  }
}

/** The package of an export, as its job names it. */
const packageIn = ({ portal, name }: PollJob, { result }: Job): string | undefined =>
  name === 'import' ? undefined : withIds({ portal, operation: 'job.read' }, () => packageItemIn(result));

/** The lists of a finished job, without what else the portal sent. */
function listsOf(job: Job, name: PollJob['name']): JobLists | undefined {
  const lists =
    name === 'import'
      ? resultListsIn(job, 'Import')
      : (resultListsIn(job, 'Export') ?? exportListsInMessages(job.messages));
  return lists && jobLists.parse(lists);
}

const deadline = (input: PollJob, lastStatus = 'unread', elapsedMs: number): PortolanError =>
  new PortolanError(
    'JOB_DEADLINE',
    `the ${input.name} job on ${input.portal} is still "${lastStatus}" after ${Math.round(elapsedMs / 1000)} s`,
    { portal: input.portal, lastStatus },
  );

/** The account that made a package item, and its portal. */
type Maker = Pick<PortalFacts, 'name' | 'release' | 'username'>;

/** Tags it as Portolan's. Best effort: returns a warning on failure. */
export async function markAsOurs(
  { portals }: Pick<ActivityDeps, 'portals'>,
  { runId, portal, itemId }: { runId: string; portal: Maker; itemId: string },
): Promise<string | undefined> {
  const owner = requireUser(portal);
  try {
    await tagPackage(portals.open(portal.name), { owner, itemId, runId });
    return undefined;
  } catch (thrown) {
    // A named package is recognized by its name.
    if (canName(portal)) return undefined;
    return `the package ${itemId} on ${portal.name} could not be tagged: ${PortolanError.from(thrown).plainMessage}`;
  }
}

/** Whether the portal accepts a name for an export's package. */
export const canName = ({ release }: Pick<PortalFacts, 'release'>): boolean =>
  atLeast(release, exportSince.outputFilename);
