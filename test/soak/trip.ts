import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { defineSearchAttributeKey } from '@temporalio/common';
import type { RequestLogEntry } from '../../src/simulator/request-log';
import { ledger, type Ledger } from '../../src/model/transfer/ledger';
import { type ParkedRecord, runRecord, type RunRecord } from '../../src/model/run/run';
import type { RunState } from '../../src/model/run/run-state';
import { searchAttributeNames } from '../../src/model/run/run-id';
import { keys } from '../../src/store/keys';
import { portolan } from '../support/child';
import { type Fleet, type FleetGroup, jobsOf } from './fleet';
import { query } from '../support/query';

/** What became of one sync. */
export interface Trip {
  readonly runId: string;
  readonly group: FleetGroup;
  readonly record: RunRecord;
  readonly ledger: Ledger | undefined;
  /** Items that the run was asked to carry. */
  readonly requested: readonly string[];
  /** Why it was parked, each time. */
  readonly parked: readonly ParkedRecord[];
  /** Imports that were posted, and that the portal began, before the first `resume` and after each. */
  readonly imports: readonly { readonly posted: number; readonly begun: number }[];
}

const outcome = defineSearchAttributeKey(searchAttributeNames.outcome, 'KEYWORD');
const LOOK_EVERY_MS = 1_500;
/** A run that needs more commands, or more time, than this will not end. */
const RESUMES_MAX = 6;
const PATIENCE_MS = 15 * 60_000;

/** Answers that say the portal did not take the request at all. */
const wasRefused = ({ status, errorCode }: RequestLogEntry): boolean =>
  status === 429 || errorCode === 498 || errorCode === 499;

/** Syncs a group to the end, and types what a parked run's record says. */
export async function travel(fleet: Fleet, group: FleetGroup): Promise<Trip> {
  const { target, targetId } = group;
  const requested = [...group.itemIds];
  const posts = (): number =>
    target
      .requests()
      .filter((request) => request.operation === 'group.import' && request.path.includes(targetId))
      .filter((request) => request.params['previewOnly'] !== 'true' && !wasRefused(request)).length;
  const count = () => ({ posted: posts(), begun: jobsOf(target, 'import', targetId).length });
  const imports: { posted: number; begun: number }[] = [];
  const parked: ParkedRecord[] = [];

  let seen = count();
  const countImports = (): void => {
    const now = count();
    imports.push({ posted: now.posted - seen.posted, begun: now.begun - seen.begun });
    seen = now;
  };
  const runId = await fleet.sync(group);
  for (let now = await nextPark(fleet, runId, 0); now; now = await nextPark(fleet, runId, now.count)) {
    if (parked.length === RESUMES_MAX)
      throw new Error(`${runId} parks again and again: ${JSON.stringify(parked)}`);
    countImports();
    parked.push(now);
    await type(fleet, now.commands[0] ?? '');
  }
  countImports();
  const record = await fleet.store.readJson(keys.record(runId), runRecord);
  if (!record) throw new Error(`${runId} left no record`);
  const lists = await fleet.store.readJson(keys.ledger(runId), ledger);
  return { runId, group, record, ledger: lists, requested, parked, imports };
}

/** Waits until the run is parked once more than `after`; nothing where it is over. */
async function nextPark(fleet: Fleet, runId: string, after: number): Promise<ParkedRecord | undefined> {
  const handle = fleet.temporal.client.workflow.getHandle(runId);
  const began = Date.now();
  for (;;) {
    const { status, typedSearchAttributes, raw } = await handle.describe();
    if (status.name !== 'RUNNING') return undefined;
    if (typedSearchAttributes.get(outcome) === 'parked') {
      const { parked } = await query<RunState>(handle, 'state');
      if (parked && parked.count > after) return parked;
    }
    if (fleet.worker.hasEnded) throw new Error('the worker is gone');
    if (Date.now() - began > PATIENCE_MS)
      throw new Error(`${runId} does not end: ${JSON.stringify(raw.pendingActivities)}`);
    await sleep(LOOK_EVERY_MS);
  }
}

/** Types a command as the record has it. One that a fault refuses is typed again. */
async function type(fleet: Fleet, command: string): Promise<void> {
  const [program, ...args] = command.split(' ');
  if (program !== 'portolan') throw new Error(`not a command of ours: "${command}"`);
  for (let tries = 1; ; tries++) {
    const { status, stdout, stderr } = await portolan(args, { cwd: path.dirname(fleet.config.path) });
    if (status === 0) return;
    if (tries === 3) throw new Error(`"${command}" ended ${status}: ${stdout}${stderr}`);
  }
}
