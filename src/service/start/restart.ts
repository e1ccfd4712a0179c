import type { RunView } from '../../contract/runs';
import type { StartInput, Takeover } from '../../contract/starts';
import { PortolanError } from '../../model/errors/errors';
import type { Beginning, PhaseName } from '../../model/run/phase';
import type { RunRecord } from '../../model/run/run';
import { shortRunId } from '../../model/run/run-id';
import type { Reuse, RunInput } from '../../model/run/run-input';
import { bytesText, shortId } from '../../model/text/words';
import type { RunRoute } from '../../model/transfer/route';
import { findPackageInStore, findPackageOnTarget } from '../run/lookup/leftover-package';
import { beginAgain, ofSnapshots } from '../run/next-commands';
import { asParent, type EndedRun, findEnded, type ParentRun, requireInput } from '../run/parent-run';
import type { StoredSources } from '../run/run-sources';
import { targetOf } from '../run/run-view';
import { isOfRequest } from '../run/start-run';
import type { PreparedRun, Starting } from './prepared-run';

/**
 * Prepares a run in place of an ended one, reusing what that left, or finds the one this request ID started. Throws
 * `USAGE` if it has not ended or cannot start there.
 * @param isLook only to see what it would reuse @default false
 */
export async function prepareRestart(
  sources: Starting,
  run: RunView,
  { from, reason }: StartInput<'restartRun'>,
  isLook = false,
): Promise<PreparedRun> {
  const { requestId } = sources;
  const isBegun = (each: RunRecord) => !isLook && isOfRequest(each, requestId);
  const ended = await findEnded(sources, run, isBegun);
  const { record } = ended;
  const { kind, runId } = record;
  const input = requireInput(sources, ended);
  if (isBegun(record)) return { kind, start: input, begun: runId };
  const { reuse, route, ...takeover } = ofSnapshots.has(kind)
    ? asAWhole(ended, input, from)
    : await inParts(sources, asParent(sources, ended), from);
  const asked = { ...askedOf(input), route, yes: false, requestId, reason };
  return { kind, start: { ...asked, parent: parentOf(record, input), reuse }, takeover };
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
