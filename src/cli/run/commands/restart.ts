import { Command, Option } from '@commander-js/extra-typings';
import { type Beginning, beginnings, type PhaseName } from '../../../model/run/phase';
import { exitStatus } from '../../../model/errors/error-codes';
import { PortolanError } from '../../../model/errors/errors';
import type { Start } from '../../../service/portolan/start';
import { shortRunId } from '../../../model/run/run-id';
import { perform } from '../../terminal/globals';
import { optionsText, waitOptions } from '../../terminal/typed-options';
import { withPortolan } from '../../terminal/with-portolan';
import { startAndFollow } from '../follow-run';
import { takeoverBlock } from '../render/run-header';
import { argumentHelp } from '../../terminal/argument-help';
import { noWaitOption, reasonOption, requestIdOption, timeoutOption } from '../../terminal/run-options';

/** Phases a run cannot start with: they create the package or depend on a preview. */
const making: readonly PhaseName[] = ['wait-export', 'download'];
const afterPreview: readonly PhaseName[] = [
  'approve',
  'safeguard',
  'import',
  'wait-import',
  'verify',
  'cleanup',
];

/** `portolan run restart`: starts a new run in place of an ended one, reusing what it left. */
export const runRestartCommand = () =>
  new Command('restart')
    .description(
      `Restart an ended run as a new run, from one of its phases.\n\nWithout --yes, shows what it would redo and reuse, and exits 2. The new run has the same options and needs its own approval. Phases: ${beginnings.join(', ')}. A backup, restore, rollback, drill, release or promotion restarts from the beginning, with --from guard. A release has no guard phase: its phases are portal, groups, release.`,
    )
    .argument('<run>', argumentHelp.run)
    .addOption(new Option('--from <phase>', 'Phase to start from').makeOptionMandatory())
    .option('--yes', 'Start the run')
    .addOption(noWaitOption())
    .addOption(timeoutOption())
    .addOption(requestIdOption())
    .addOption(reasonOption())
    .action((text, { from: word, yes = false, reason, requestId, wait, timeout }, command) =>
      perform(command, (output, globals) => {
        const from = beginningOf(word);
        return withPortolan(globals, async (portolan) => {
          const start: Start = { what: 'restart', run: text, request: { from, reason } };
          if (yes)
            return await startAndFollow(portolan, output, start, { wait, timeoutMs: timeout, requestId });
          const { takeover } = await portolan.portolan.lookAtRestart({ run: text, from });
          const again = { 'request-id': requestId, reason, ...waitOptions({ wait, timeout }) };
          const runId = takeover?.parent.runId ?? text;
          const next = `portolan run restart ${shortRunId(runId)} --from ${from} --yes${optionsText(again)}`;
          const { verb: _verb, parent: _parent, ...shown } = takeover ?? {};
          output.show(
            { runId, from, started: false, ...shown, command: next },
            (style) =>
              `${takeover ? takeoverBlock(takeover, style) : ''}\n\nNo run started. To start it: ${next}`,
          );
          return exitStatus.usage;
        });
      }),
    );

/** Throws `USAGE` with the reason if a run cannot start there. */
function beginningOf(word: string): Beginning {
  const beginning = beginnings.find((each) => each === word);
  if (beginning) return beginning;
  const all = `--from is one of ${beginnings.join(', ')}`;
  const isMaking = making.includes(word);
  if (!isMaking && !afterPreview.includes(word))
    throw new PortolanError('USAGE', `Unknown phase "${word}": ${all}.`);
  const why = isMaking
    ? 'the export package on the source was deleted when its run ended'
    : 'later phases need a fresh preview';
  throw new PortolanError('USAGE', `A run cannot start with ${word}: ${why}.`, {
    hint: `Use --from ${isMaking ? 'export' : 'preview'}; ${all}.`,
  });
}
