import { Command, Option } from '@commander-js/extra-typings';
import { shortRunId } from '../../../model/run/run-id';
import { overlaps } from '../../../model/schedule/schedule';
import { act } from '../../terminal/act';
import { argumentHelp } from '../../terminal/arguments';
import { examples } from '../../terminal/help';

/** `portolan schedule trigger`: starts a run of a schedule now, even if it is paused. */
export const scheduleTriggerCommand = () =>
  new Command('trigger')
    .description(
      'Start a run of a schedule now, even if it is paused.\n\nSupersedes a parked run of the schedule. If another run is still running, --overlap is required.',
    )
    .addHelpText(...examples('nightly-transport', 'nightly-transport --overlap buffer-one'))
    .argument('<schedule>', argumentHelp.schedule)
    .addOption(new Option('--overlap <policy>', 'What to do if a run is still running').choices(overlaps))
    .action(
      act(async ({ portolan, output }, schedule, { overlap }) => {
        const triggered = await portolan.triggerSchedule({ schedule, overlap });
        const { runId } = triggered;
        output.show(triggered, () =>
          runId === undefined
            ? `${schedule} was triggered; its run starts once the current run has ended\ndetails  portolan schedule show ${schedule}`
            : `run      ${runId}\nwatch    portolan run watch ${shortRunId(runId)}`,
        );
      }),
    );
