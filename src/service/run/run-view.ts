import type { FailingTask } from '../../contract/run-row';
import { type ErrorCode, exitStatus, isErrorCode, meaningOf } from '../../model/errors/error-codes';
import { PortolanError } from '../../model/errors/errors';
import type { RecordEnd, RunKind, RunRecord } from '../../model/run/run';
import { shortRunId } from '../../model/run/run-id';

/** The problem of a run whose workflow task is failing, and the fix. */
export const failingWords = ({ attempt, message }: FailingTask): { saw: string; todo: string } => ({
  saw: `workflow task failing (attempt ${attempt}): ${message}`,
  todo: /nondetermin|TMPRL1100|no such workflow type/i.test(message)
    ? 'The worker code does not match what the run has done. Deploy the version that started it; the run then continues.'
    : 'Check the worker logs and deploy the version that worked; the run then continues.',
});

/** A list of a record: complete, or if long, its length and store key. */
type Listed<T> = readonly T[] | { readonly count: number; readonly ref: string };

export const lengthOf = (list: Listed<unknown> = []): number => ('count' in list ? list.count : list.length);
export const entriesOf = <T>(list: Listed<T> = []): readonly T[] => ('count' in list ? [] : list);

/** The target of a run. Throws `USAGE` if it has none, such as a backup. */
export function targetOf({ runId, kind, route }: RunRecord): RecordEnd & { readonly groupId: string } {
  const { groupId } = route.target ?? {};
  if (route.target && groupId !== undefined) return { ...route.target, groupId };
  throw new PortolanError('USAGE', `${runId} is a ${kind} and has no target.`);
}

/** Exit status of a command that showed or waited for this run. */
export function exitStatusOf(record: Pick<RunRecord, 'status' | 'error'>): number {
  switch (record.status) {
    case 'succeeded':
    case 'nothing-to-do':
    case 'running':
      return exitStatus.done;
    case 'partial':
      return exitStatus.partial;
    case 'waiting':
    case 'parked':
      return exitStatus.waiting;
    case 'cancelled':
      return exitStatus.cancelled;
    case 'failed':
      return failureStatus(record.error?.code);
  }
}

const failureStatus = (code: string | undefined): number => {
  const known: ErrorCode = code !== undefined && isErrorCode(code) ? code : 'INTERNAL';
  const { exit } = meaningOf(known);
  // A failed run never exits as success or waiting, whatever its last error says.
  return exit === exitStatus.done || exit === exitStatus.waiting ? exitStatus.failed : exit;
};

/** Kinds of runs that can create items without overwriting any, and then have no safeguard. */
const creating: ReadonlySet<RunKind> = new Set(['sync', 'restore', 'rollback']);

/** Undefined for a run that only created items. Throws `USAGE` if there is nothing to roll back, or not yet. */
export function safeguardOf(
  { runId, kind, safeguard, snapshot, target }: RunRecord,
  open: boolean,
): string | undefined {
  const short = shortRunId(runId);
  const usage = (message: string, hint: string) => new PortolanError('USAGE', message, { hint });
  if (open) throw usage(`${runId} has not ended.`, `Cancel it first: portolan run cancel ${short}`);
  const id = safeguard?.id ?? (kind === 'sync' ? snapshot?.id : undefined);
  if (id !== undefined || (creating.has(kind) && target !== 'untouched')) return id;
  throw usage(
    `${runId} did not overwrite anything, so it has no safeguard.`,
    `See what it did: portolan run show ${short}`,
  );
}
