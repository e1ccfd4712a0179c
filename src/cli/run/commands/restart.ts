import { Command, Option } from '@commander-js/extra-typings';
import { exitStatus } from '../../../model/errors/error-codes';
import { PortolanError } from '../../../model/errors/errors';
import { type Beginning, beginnings, type PhaseName } from '../../../model/run/phase';
import { shortRunId } from '../../../model/run/run-id';
import { act } from '../../terminal/act';
import { again } from '../../terminal/typed-options';
import { startAndFollow, takeoverBlock } from '../follow-run';
import {
  argumentHelp,
  noWaitOption,
  reasonOption,
  requestIdOption,
  timeoutOption,
} from '../../terminal/arguments';
import { examples } from '../../terminal/help';

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
    .addHelpText(...examples('latest --from upload', 'k7q2 --from guard --yes'))
    .argument('<run>', argumentHelp.run)
    .addOption(new Option('--from <phase>', 'Phase to start from').makeOptionMandatory())
    .option('--yes', 'Start the run')
    .addOption(noWaitOption())
    .addOption(timeoutOption())
    .addOption(requestIdOption())
    .addOption(reasonOption())
    .action(
      act(async (session, run, { from: word, yes, reason, requestId, wait, timeout }, command) => {
        const { portolan, output } = session;
        const from = beginningOf(word);
        if (yes)
          return await startAndFollow(session, (how) => portolan.restartRun({ run, from, reason }, how), {
            wait,
            timeout,
            requestId,
          });
        const { takeover } = await portolan.lookAtRestart({ run, from });
        const runId = takeover?.parent.runId ?? run;
        const next = again(command, { yes: true }, [shortRunId(runId)]);
        const { verb: _verb, parent: _parent, ...shown } = takeover ?? {};
        output.show({ runId, from, started: false, ...shown, command: next }, () => [
          takeover && takeoverBlock(takeover),
          { lines: [['No run started. To start it: ', { command: next }]] },
        ]);
        return exitStatus.usage;
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
