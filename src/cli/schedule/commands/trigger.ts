import { Command, Option } from '@commander-js/extra-typings';
import { exitStatus } from '../../../model/errors/error-codes';
import { shortRunId } from '../../../model/run/run-id';
import { overlaps } from '../../../model/schedule/schedule';
import { perform } from '../../terminal/globals';
import { withPortolan } from '../../terminal/with-portolan';

/** `portolan schedule trigger`: a run of a schedule now, whether it is due, paused or neither. */
export const scheduleTriggerCommand = () =>
  new Command('trigger')
    .description(
      'Starts a run of a schedule now, also of one that is paused. A run of it that is parked is superseded; where one still goes on, say with --overlap what becomes of both.',
    )
    .argument('<schedule>', 'name of a schedule')
    .addOption(new Option('--overlap <policy>', 'where a run of it still goes on').choices(overlaps))
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
