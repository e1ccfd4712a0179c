import { Command } from '@commander-js/extra-typings';
import { exitStatus } from '../../../model/errors/error-codes';
import { withReadablePortolan } from '../../terminal/with-portolan';
import { perform } from '../../terminal/globals';
import { statusText } from '../render/status';
import { concernOf } from '../../../service/status/status-view';

/** `portolan status`: how things stand, for people and for whatever watches. */
export const statusCommand = () =>
  new Command('status')
    .summary('workers, runs that wait, what is overdue, what is due next')
    .description(
      'Shows on one screen who works, what runs, what waits for somebody, what is overdue and what is due next. For monitors: ends with 0 where nobody has to look, with 4 where a run waits or is parked, with 3 where a backup is overdue, with 2 where a worker lacks a secret or has another store or other portals, with 11 where no worker is up or Temporal does not answer.',
    )
    .action((_options, command) =>
      perform(command, (output, globals) =>
        withReadablePortolan(globals, async (portolan) => {
          const status = await portolan.status();
          const exit = concernOf(status)?.exit ?? exitStatus.done;
          output.show({ ...status, exit }, (style) => statusText(status, style, Date.now()));
          for (const note of status.notes) output.note(`note  ${note}`);
          return exit;
        }),
      ),
    );
