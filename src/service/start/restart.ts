import { z } from 'zod';
import { type Beginning, beginnings, type PhaseName } from '../../model/run/phase';
import { type Takeover } from '../../contract/starts';
import { PortolanError } from '../../model/errors/errors';
import type { RunRecord } from '../../model/run/run';
import { shortRunId } from '../../model/run/run-id';
import type { Reuse, RunInput } from '../../model/run/run-input';
import { bytesText, portalsOf, shortId } from '../../model/text/words';
import type { RunRoute } from '../../model/transfer/route';
import { requireAbleWorkers } from '../run/compatible-workers';
import { findPackageInStore, findPackageOnTarget } from '../run/lookup/leftover-package';
import { beginAgain, ofSnapshots } from '../run/next-commands';
import { asParent, type EndedRun, findEnded, type ParentRun, requireInput } from '../run/parent-run';
import type { WriteContext, StoredSources } from '../run/run-sources';
import { targetOf } from '../run/run-view';
import { endsAsked, isOfRequest, startRun } from '../run/start-run';
import { anyStart, type PreparedRun, type Requested } from './prepared-run';

/** Request for a restart. */
export const restartRequest = anyStart.extend({
  from: z.enum(beginnings).describe('first phase to run'),
});
export type RestartRequest = z.input<typeof restartRequest>;

/**
 * Prepares a run in place of an ended one, reusing what that left, or finds the one this request ID started. Throws
 * `RUN_NOT_FOUND`, `USAGE` if it has not ended or cannot start there, and `NO_WORKER`.
 */
export async function prepareRestart(
  sources: WriteContext,
  text: string,
  { from, reason }: RestartRequest,
  {
    requestId,
    isLook = false,
    signal,
  }: Requested & {
    /** Only look. @default false */
    readonly isLook?: boolean;
    /** Aborts portal requests. */
    readonly signal?: AbortSignal;
  } = {},
): Promise<PreparedRun> {
  const isBegun = (each: RunRecord) => !isLook && isOfRequest(each, requestId);
  const ended = await findEnded(sources, text, isBegun);
  const { record } = ended;
  const { kind } = record;
  const input = requireInput(sources, ended);
  const ableFor = (route: RunRoute): Promise<string[]> =>
    isLook ? Promise.resolve([]) : requireAbleWorkers(sources, portalsOf(endsAsked(kind, route)));
  const { approval } = input.route.options;
  if (isBegun(record)) {
    const { route } = input;
    const begin = () => Promise.resolve({ runId: record.runId, isNew: false });
    return { kind, route, approval, workers: await ableFor(route), begin };
  }
  const { reuse, route, ...takeover } = ofSnapshots.has(kind)
    ? asAWhole(ended, input, from)
    : await inParts({ ...sources, signal }, asParent(sources, ended), from);
  const asked = { ...askedOf(input), route, yes: false, requestId, reason };
  const start = { ...asked, parent: parentOf(record, input), reuse };
  return {
    kind,
    route,
    approval,
    takeover,
    workers: await ableFor(route),
    begin: (attended) => startRun(kind, sources, { ...start, attended }),
  };
}

/** The options of a run, without its ID, starter and schedule. */
function askedOf({
  runId: _runId,
  startedBy: _startedBy,
  scheduledBy: _scheduledBy,
  requestId: _requestId,
  parks: _parks,
  proof: _proof,
  ...asked
}: RunInput): Omit<RunInput, 'runId' | 'startedBy'> {
  return asked;
}

/** The run to be replaced; for a rollback, the run it rolls back. */
const parentOf = ({ runId, kind }: RunRecord, { parent }: RunInput): string =>
  kind === 'rollback' ? (parent ?? runId) : runId;

/** Runs with a snapshot at one end leave nothing to reuse. */
function asAWhole(
  { record }: EndedRun,
  { route }: RunInput,
  from: Beginning,
): Takeover & { readonly reuse?: undefined; readonly route: RunRoute } {
  if (from !== 'guard') {
    throw new PortolanError(
      'USAGE',
      `${record.runId} is a ${record.kind}, which can only be started again from the beginning.`,
      {
        hint: `Start it again: ${beginAgain(record)}`,
      },
    );
  }
  const redoes = record.phases.map(({ name }) => name);
  return { parent: record, verb: 'restarts', reuses: [], redoes, notes: [], route };
}

const notToBeRestarted = ({ record: { runId, kind } }: ParentRun): PortolanError =>
  new PortolanError('USAGE', `${runId} is a ${kind} with child runs.`, {
    hint: `Retry the rest: portolan run retry ${shortRunId(runId)}`,
  });

/** What the earlier run left and this one can reuse. */
async function inParts(
  { config, store, signal }: StoredSources,
  parent: ParentRun,
  from: Beginning,
): Promise<Takeover & { readonly reuse?: Reuse; readonly route: RunRoute }> {
  const { record, notes: said, route } = parent;
  if (record.kind !== 'sync') throw notToBeRestarted(parent);
  const reuses: string[] = [];
  const notes = [...said];
  const done = new Set<PhaseName>();
  const left = from === 'upload' || from === 'preview' ? await findPackageInStore(store, record) : undefined;
  let targetPackage: string | undefined;
  if (left) {
    for (const phase of ['export', 'wait-export', 'download'] as const) done.add(phase);
    reuses.push(
      `package of ${left.runId} in the store, ${bytesText(left.sizeBytes)}, sha256 ${shortId(left.sha256)}`,
    );
    if (from === 'preview') targetPackage = await findPackageOnTarget({ config, signal }, record, left);
    if (targetPackage !== undefined) {
      done.add('upload');
      reuses.push(`uploaded item ${shortId(targetPackage)} on ${targetOf(record).portal}`);
    } else if (from === 'preview') {
      notes.push(`the uploaded item is no longer on ${targetOf(record).portal}, so it is uploaded again`);
    }
  } else if (from === 'upload' || from === 'preview') {
    notes.push(`the store at ${store.where} has no package of ${record.runId}, so it is exported again`);
  }
  return {
    parent: record,
    verb: 'restarts',
    reuses,
    redoes: record.phases.map(({ name }) => name).filter((phase) => !done.has(phase)),
    notes,
    reuse: left && { runId: left.runId, sha256: left.sha256, targetPackage },
    route,
  };
}
