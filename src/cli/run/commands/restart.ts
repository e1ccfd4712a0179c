import { Command, Option } from '@commander-js/extra-typings';
import { loadConfig } from '../../../config/load-config';
import { exitStatus } from '../../../model/errors/error-codes';
import { PortolanError } from '../../../model/errors/errors';
import type { PhaseName } from '../../../model/run/phase';
import { shortRunId } from '../../../model/run/run-id';
import type { Reuse } from '../../../model/run/run-input';
import { bytesText } from '../../../model/text/bytes-text';
import { requireAbleWorkers } from '../able-workers';
import { durationArgument } from '../../terminal/arguments';
import { perform } from '../../terminal/globals';
import { shortId } from '../../terminal/words';
import { ApprovalDesk } from '../approval-desk';
import { startAndFollow } from '../follow-run';
import { findPackageInStore, findPackageOnTarget } from '../leftover-package';
import { findParent, type ParentRun } from '../parent-run';
import { takeoverBlock } from '../render/run-header';
import { type RunSources, withSources } from '../run-sources';
import { type Takeover, targetOf } from '../run-view';
import { startRun } from '../start-run';

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
      `Starts a new run in the place of one that is over, with the same options, from one of its phases: ${beginnings.join(', ')}. Says what it redoes and what it reuses, and does nothing without --yes: then it ends with status 2. The new run's plan is asked for as ever.`,
    )
    .argument('<run>', 'id, an end of it, or latest')
    .addOption(new Option('--from <phase>', 'where to begin').makeOptionMandatory())
    .option('--yes', 'do it')
    .option('--reason <text>', 'why; kept in the record')
    .option('--no-wait', 'print the record as it stands and end once the run is accepted')
    .option('--timeout <duration>', 'end the waiting after that long (124), never the run', durationArgument)
    .action((text, { from: word, yes = false, reason, wait, timeout }, command) =>
      perform(command, (output, globals) => {
        const from = beginningOf(word);
        const config = loadConfig(globals.config);
        return withSources(config, async (sources) => {
          const parent = await findParent(sources, text);
          if (parent.record.kind !== 'sync') throw notToBeRestarted(parent);
          const { reuse, ...takeover } = await lookBack(sources, parent, from);
          if (!yes) {
            const next = `portolan run restart ${shortRunId(parent.record.runId)} --from ${from} --yes`;
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
          const workers = await requireAbleWorkers(sources, [
            parent.route.source.portal,
            parent.route.target.portal,
          ]);
          output.note(`${takeoverBlock(takeover, output.side)}\n`);
          const { route, record } = parent;
          return startAndFollow(
            sources,
            output,
            () =>
              startRun('sync', config, sources.temporal, {
                route,
                yes: false,
                reason,
                parent: record.runId,
                reuse,
              }),
            {
              route,
              wait,
              workers,
              timeoutMs: timeout,
              planOnly: route.options.planOnly,
              approval: new ApprovalDesk(route.options.approval),
            },
          );
        });
      }),
    );

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
async function lookBack(
  { config, store }: RunSources,
  { record, notes: said }: ParentRun,
  from: Beginning,
): Promise<Takeover & { readonly reuse?: Reuse }> {
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
  };
}
