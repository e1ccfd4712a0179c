import { Command, Option } from '@commander-js/extra-typings';
import { exitStatus } from '../../../model/errors/error-codes';
import { shortRunId } from '../../../model/run/run-id';
import { overlaps } from '../../../model/schedule/schedule';
import { perform } from '../../terminal/globals';
import { withPortolan } from '../../terminal/with-portolan';
import { argumentHelp } from '../../terminal/argument-help';

/** `portolan schedule trigger`: starts a run of a schedule now, even if it is paused. */
export const scheduleTriggerCommand = () =>
  new Command('trigger')
    .description(
      'Start a run of a schedule now, even if it is paused.\n\nSupersedes a parked run of the schedule. If another run is still running, --overlap is required.',
    )
    .argument('<schedule>', argumentHelp.schedule)
    .addOption(new Option('--overlap <policy>', 'What to do if a run is still running').choices(overlaps))
    .action((name, { overlap }, command) =>
      perform(command, (output, globals) =>
        withPortolan(globals, async (portolan) => {
          const runId = await portolan.schedules.trigger(name, overlap);
          output.show({ name, runId }, () =>
            runId === undefined
              ? `${name} was triggered; its run starts once the current run has ended\ndetails  portolan schedule show ${name}`
              : `run      ${runId}\nwatch    portolan run watch ${shortRunId(runId)}`,
          );
          return exitStatus.done;
        }),
      ),
    );
