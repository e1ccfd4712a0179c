import { Command, Option } from '@commander-js/extra-typings';
import { loadConfig } from '../../../config/load-config';
import { exitStatus } from '../../../model/errors/error-codes';
import { PortolanError } from '../../../model/errors/errors';
import type { PhaseName } from '../../../model/run/phase';
import type { RunRecord } from '../../../model/run/run';
import { shortRunId } from '../../../model/run/run-id';
import type { Reuse, RunInput } from '../../../model/run/run-input';
import type { RunRoute } from '../../../model/transfer/route';
import { bytesText } from '../../../model/text/bytes-text';
import { requireAbleWorkers } from '../../../service/run/able-workers';
import { durationArgument } from '../../terminal/arguments';
import { perform } from '../../terminal/globals';
import { optionsText, waitOptions } from '../../terminal/typed-options';
import { shortId, portalsOf } from '../../../model/text/words';
import { ApprovalDesk } from '../approval-desk';
import { followRequested, startAndFollow } from '../follow-run';
import { findPackageInStore, findPackageOnTarget } from '../../../service/run/leftover-package';
import { beginAgain, ofSnapshots } from '../../../service/run/next-commands';
import {
  asParent,
  type EndedRun,
  findEnded,
  type ParentRun,
  requireInput,
} from '../../../service/run/parent-run';
import { takeoverBlock } from '../render/run-header';
import { type RunSources, withSources } from '../../../service/run/run-sources';
import { type Takeover, targetOf } from '../../../service/run/run-view';
import { endsAsked, isOfRequest, startRun } from '../../../service/run/start-run';

/** Where a run can be begun again; everything later rests on a fresh preview. */
const beginnings = ['guard', 'export', 'upload', 'preview'] as const satisfies readonly PhaseName[];
type Beginning = (typeof beginnings)[number];

/** Phases with which none can begin: those that make the package, and those that rest on a preview. */
const making: readonly PhaseName[] = ['wait-export', 'download'];
const afterPreview: readonly PhaseName[] = [
  'approve',
  'safeguard',
  'import',
  'wait-import',
  'verify',
  'cleanup',
];

/** `portolan run restart`: a new run in the place of one that is over, with what that one left. */
export const runRestartCommand = () =>
  new Command('restart')
    .description(
      `Starts a new run in the place of one that is over, with the same options, from one of its phases: ${beginnings.join(', ')}. Says what it redoes and what it reuses, and does nothing without --yes: then it ends with status 2. The new run's plan is asked for as ever. A backup, restore, rollback, drill, release or promotion begins again with guard, with all that it was asked.`,
    )
    .argument('<run>', 'id, an end of it, or latest')
    .addOption(new Option('--from <phase>', 'where to begin').makeOptionMandatory())
    .option('--yes', 'do it')
    .option('--request-id <key>', 'the same key twice is the same run')
    .option('--reason <text>', 'why; kept in the record')
    .option('--no-wait', 'print the record as it stands and end once the run is accepted')
    .option('--timeout <duration>', 'end the waiting after that long (124), never the run', durationArgument)
    .action((text, { from: word, yes = false, reason, requestId, wait, timeout }, command) =>
      perform(command, (output, globals) => {
        const from = beginningOf(word);
        const config = loadConfig(globals.config);
        return withSources(config, async (sources) => {
          const isBegun = (each: RunRecord) => yes && isOfRequest(each, requestId);
          const ended = await findEnded(sources, text, isBegun);
          const { record } = ended;
          const input = requireInput(sources, ended);
          const { options } = input.route;
          const following = {
            wait,
            timeoutMs: timeout,
            planOnly: options.planOnly,
            approval: new ApprovalDesk(options.approval),
          };
          if (isBegun(record))
            return await followRequested(sources, output, record, { route: input.route, ...following });
          const { reuse, route, ...takeover } = ofSnapshots.has(record.kind)
            ? asAWhole(ended, input, from)
            : await inParts(sources, asParent(sources, ended), from);
          if (!yes) {
            const again = { 'request-id': requestId, reason, ...waitOptions({ wait, timeout }) };
            const next = `portolan run restart ${shortRunId(record.runId)} --from ${from} --yes${optionsText(again)}`;
            const {
              verb: _,
              parent: { runId },
              ...shown
            } = takeover;
            output.show(
              { runId, from, started: false, ...shown, command: next },
              (style) => `${takeoverBlock(takeover, style)}\n\nNothing was done. To do it: ${next}`,
            );
            return exitStatus.usage;
          }
          const workers = await requireAbleWorkers(sources, portalsOf(endsAsked(record.kind, route)));
          output.note(`${takeoverBlock(takeover, output.side)}\n`);
          const start = {
            ...askedOf(input),
            route,
            yes: false,
            requestId,
            reason,
            parent: parentOf(record, input),
            reuse,
          };
          return startAndFollow(
            sources,
            output,
            (attended) => startRun(record.kind, sources, { ...start, attended }),
            { route, workers, ...following },
          );
        });
      }),
    );

/** What was asked of a run, without what was of that run alone: its id, who started it, and for whom. */
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

/** The run that another one takes the place of; of a rollback still the one that is undone. */
const parentOf = ({ runId, kind }: RunRecord, { parent }: RunInput): string =>
  kind === 'rollback' ? (parent ?? runId) : runId;

/** A run that has a snapshot for its source or its end leaves nothing that another one could take over. */
function asAWhole(
  { record }: EndedRun,
  { route }: RunInput,
  from: Beginning,
): Takeover & { readonly reuse?: undefined; readonly route: RunRoute } {
  if (from !== 'guard') {
    throw new PortolanError('USAGE', `${record.runId} is a ${record.kind}, and is begun again as a whole.`, {
      hint: `Begin it again: ${beginAgain(record)}`,
    });
  }
  const redoes = record.phases.map(({ name }) => name);
  return { parent: record, verb: 'restarts', reuses: [], redoes, notes: [], route };
}

/** Throws `USAGE` with the reason where a run cannot begin there. */
function beginningOf(word: string): Beginning {
  const beginning = beginnings.find((each) => each === word);
  if (beginning) return beginning;
  const all = `--from is one of ${beginnings.join(', ')}`;
  const isMaking = making.includes(word);
  if (!isMaking && !afterPreview.includes(word))
    throw new PortolanError('USAGE', `There is no phase "${word}": ${all}.`);
  const why = isMaking
    ? 'the package that was made on the source is gone with its run'
    : 'what comes after the preview rests on a fresh one';
  throw new PortolanError('USAGE', `A run cannot begin with ${word}: ${why}.`, {
    hint: `Take --from ${isMaking ? 'export' : 'preview'}; ${all}.`,
  });
}

const notToBeRestarted = ({ record: { runId, kind } }: ParentRun): PortolanError =>
  new PortolanError('USAGE', `${runId} is a ${kind}, made of runs of its own.`, {
    hint: `Try what is left of it: portolan run retry ${shortRunId(runId)}`,
  });

/** What the earlier run left that is still there, and so need not be made again. */
async function inParts(
  { config, store }: RunSources,
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
    if (from === 'preview') targetPackage = await findPackageOnTarget(config, record, left);
    if (targetPackage !== undefined) {
      done.add('upload');
      reuses.push(`uploaded item ${shortId(targetPackage)} on ${targetOf(record).portal}`);
    } else if (from === 'preview') {
      notes.push(`the uploaded item is not on ${targetOf(record).portal} any more: uploaded again`);
    }
  } else if (from === 'upload' || from === 'preview') {
    notes.push(`no package of ${record.runId} is in the store at ${store.where}: exported again`);
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
