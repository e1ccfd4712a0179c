import { Command } from '@commander-js/extra-typings';
import { startAndFollow } from '../../run/follow-run';
import { act } from '../../terminal/act';
import {
  argumentHelp,
  noWaitOption,
  reasonOption,
  requestIdOption,
  timeoutOption,
} from '../../terminal/arguments';
import { examples } from '../../terminal/help';

/** `portolan release create`: saves the current state of a pipeline's first stage; a release never changes. */
export const releaseCreateCommand = () =>
  new Command('create')
    .description(
      "Create a release from a pipeline's first stage.\n\nTakes a snapshot of each group and, if the pipeline says so, of the portal's settings and category schema. Unchanged groups are not exported again. A release exists only once it is complete, and never changes.",
    )
    .addHelpText(...examples('traffic --reason "winter closures"', 'traffic --request-id build-42'))
    .argument('<pipeline>', argumentHelp.pipeline)
    .addOption(noWaitOption())
    .addOption(timeoutOption())
    .addOption(requestIdOption())
    .addOption(reasonOption())
    .action(
      act((session, pipeline, { wait, timeout, requestId, reason }) =>
        startAndFollow(session, (how) => session.portolan.createRelease({ pipeline, reason }, how), {
          wait,
          timeout,
          requestId,
        }),
      ),
    );
