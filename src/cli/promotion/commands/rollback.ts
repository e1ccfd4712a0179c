import { Command } from '@commander-js/extra-typings';
import { withPortolan } from '../../terminal/with-portolan';
import { durationArgument, reasonArgument } from '../../terminal/arguments';
import { perform } from '../../terminal/globals';
import { startAndFollow } from '../../run/follow-run';

/** `portolan promote rollback`: a stage goes back to what it was before its last promotion. */
export const promoteRollbackCommand = () =>
  new Command('rollback')
    .summary('bring a stage back to what it was before its last promotion')
    .description(
      'Undoes the last promotion of a stage, the last group first: what was overwritten comes back from the safeguards, what was created goes, settings and categories become what they were. What somebody has changed since is named and stays, and the stage counts as failed; --overwrite-edits brings back what was overwritten all the same. A promotion that is parked there is ended first.',
    )
    .argument('<pipeline>', 'name of a pipeline in portolan.yaml')
    .argument('<stage>', 'stage of the pipeline')
    .option(
      '--overwrite-edits',
      'overwrite also what somebody has changed since in items that were there before',
    )
    .option('--yes', 'approve it')
    .option('--no-wait', 'print the record as it stands and end once the run is accepted')
    .option('--timeout <duration>', 'end the waiting after that long (124), never the run', durationArgument)
    .option('--request-id <key>', 'the same key twice is the same run')
    .option('--reason <text>', 'why; kept in the record and in the history of the stage', reasonArgument)
    .action((pipeline, stage, { wait, timeout: timeoutMs, requestId, ...flags }, command) =>
      perform(command, (output, globals) =>
        withPortolan(globals, (portolan) => {
          const start = { what: 'stage rollback' as const, pipeline, stage, request: flags };
          return startAndFollow(portolan, output, start, { wait, timeoutMs, requestId });
        }),
      ),
    );
