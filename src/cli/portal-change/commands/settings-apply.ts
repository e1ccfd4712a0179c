import { Command } from '@commander-js/extra-typings';
import { loadConfig } from '../../../config/load-config';
import { PortolanError } from '../../../model/errors/errors';
import { reasonArgument } from '../../terminal/arguments';
import { perform } from '../../terminal/globals';
import { withLiveSettings } from '../live-settings';
import { setSettings } from '../set-settings';
import { changeRequest, changeTimeout } from '../run-change';
import { portalRefOf } from '../../../service/run/start-run';
import { requireAbleWorkers } from '../../../service/run/able-workers';
import { savedSettings, settingsOf } from '../desired-settings';
import { withSources } from '../../../service/run/run-sources';

/** `portolan settings apply`: a file, or what was there before a change, becomes a portal's settings. */
export const settingsApplyCommand = () =>
  new Command('apply')
    .description(
      'Sets what a file says and the portal does not: shows what changes, asks, saves what is there, writes each object whole, and reads it back. What the file leaves out stays as it is; null clears.',
    )
    .argument('<portal>', 'portal of portolan.yaml')
    .argument('[file]', 'YAML or JSON, as of: portolan settings export; - is the standard input')
    .option('--saved <run>', 'in place of a file: what this change of settings found before it')
    .option('--yes', 'do it without asking')
    .addOption(changeTimeout())
    .addOption(changeRequest())
    .option('--reason <text>', 'why; kept in the record', reasonArgument)
    .action((portalName, file, { saved, yes, timeout: timeoutMs, requestId, reason }, command) =>
      perform(command, (output, globals) => {
        const config = loadConfig(globals.config);
        const portal = portalRefOf(config, portalName);
        if ((file === undefined) === (saved === undefined)) {
          throw new PortolanError('USAGE', 'Give either a file or --saved RUN.', {
            hint: 'See: portolan settings apply --help',
          });
        }
        const given = file === undefined ? undefined : settingsOf(file);
        return withSources(config, async (sources) => {
          await requireAbleWorkers(sources, [portalName]);
          const desired = given?.desired ?? (await savedSettings(sources, portalName, saved ?? ''));
          return withLiveSettings(config, portalName, (live) =>
            setSettings(sources, output, live, {
              operation: 'apply',
              portal,
              desired,
              warnings: given?.warnings ?? [],
              yes,
              reason,
              timeoutMs,
              requestId,
            }),
          );
        });
      }),
    );
