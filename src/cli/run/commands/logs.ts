import { existsSync } from 'node:fs';
import path from 'node:path';
import { Command } from '@commander-js/extra-typings';
import { loadConfig } from '../../../config/load-config';
import { exitStatus } from '../../../model/errors/error-codes';
import { perform } from '../../terminal/globals';
import { findRun } from '../../../service/run/find-run';
import { runEventsText } from '../render/run-events';
import { readRunEvents } from '../../../service/run/run-events';
import { withSources } from '../../../service/run/run-sources';

/** `portolan run logs`: what happened to a run, step by step, from whatever worker. */
export const runLogsCommand = () =>
  new Command('logs')
    .description(
      'Tells what happened to a run, step by step: what was called and how long it took, what failed and was tried again, who answered. It is told by Temporal, for as long as that holds the run, whichever worker it was.',
    )
    .argument('<run>', 'id, an end of it, or latest')
    .option('--problems', 'only what failed, also where it was tried again')
    .action((text, options, command) =>
      perform(command, (output, globals) =>
        withSources(loadConfig(globals.config), async (sources) => {
          const runId = await findRun(sources, text);
          const events = await readRunEvents(sources.temporal, runId);
          const shown = options.problems ? events.filter(({ kind }) => kind === 'problem') : events;
          output.showList(shown, (style) =>
            shown.length === 0 ? 'Nothing failed.' : runEventsText(shown, style),
          );
          const log = path.join(sources.config.temporal.state, 'worker.log');
          if (existsSync(log)) output.note(`note  what the worker of this machine logs is in ${log}`);
          return exitStatus.done;
        }),
      ),
    );
