import { Command } from '@commander-js/extra-typings';
import { loadConfig } from '../../../config/load-config';
import { exitStatus } from '../../../model/errors/error-codes';
import { PortolanError } from '../../../model/errors/errors';
import { perform } from '../../terminal/globals';
import { askYes } from '../../terminal/prompts';
import { findSchedule, handleOf } from '../server-schedules';
import { withTemporal } from '../../../temporal/session';

/** `portolan schedule delete`: one that is not in the file. */
export const scheduleDeleteCommand = () =>
  new Command('delete')
    .description('Deletes a schedule that is not in portolan.yaml. Runs that it has started stay, and go on.')
    .argument('<schedule>', 'name of a schedule')
    .option('--yes', 'do it without asking')
    .action((name, { yes }, command) =>
      perform(command, (output, globals) => {
        const config = loadConfig(globals.config);
        return withTemporal(config, async (temporal) => {
          const { id } = await findSchedule(temporal, config, name);
          if (config.schedules.has(name)) {
            throw new PortolanError('USAGE', `Schedule "${name}" belongs to ${config.path}.`, {
              hint: 'Take it out of the file, and then: portolan schedule apply',
            });
          }
          const answer =
            yes ??
            (await askYes(`Delete schedule ${name}?`, {
              what: 'Nobody said yes to this, and nothing was deleted.',
              hint: `To do it: portolan schedule delete ${name} --yes`,
            }));
          if (!answer) {
            output.note('Nothing was deleted.');
            return exitStatus.cancelled;
          }
          await handleOf(temporal, id).delete();
          output.show({ name, deleted: true }, () => `deleted  ${name}`);
          return exitStatus.done;
        });
      }),
    );
