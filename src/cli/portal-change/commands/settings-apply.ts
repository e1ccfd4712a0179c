import { Command } from '@commander-js/extra-typings';
import { loadConfig } from '../../../config/load-config';
import { PortolanError } from '../../../model/errors/errors';
import { perform } from '../../terminal/globals';
import { withLiveSettings } from '../live-settings';
import { setSettings } from '../set-settings';
import { portalRefOf } from '../../../service/run/start-run';
import { requireAbleWorkers } from '../../../service/run/compatible-workers';
import { savedSettings, settingsOf } from '../desired-settings';
import { withSources } from '../../../service/run/run-sources';
import { argumentHelp } from '../../terminal/argument-help';
import { reasonOption, requestIdOption, timeoutOption } from '../../terminal/run-options';

/** `portolan settings apply`: applies a file or saved values to a portal's settings. */
export const settingsApplyCommand = () =>
  new Command('apply')
    .description(
      "Apply a file to a portal's settings.\n\nShows the changes, asks, saves the current settings, writes each object whole and reads it back. Settings missing from the file stay; null clears one.",
    )
    .argument('<portal>', argumentHelp.portal)
    .argument('[file]', argumentHelp.inputFile)
    .option('--saved <run>', 'Restore the settings this run replaced, instead of a file')
    .option('--yes', 'Do not ask')
    .addOption(timeoutOption())
    .addOption(requestIdOption())
    .addOption(reasonOption())
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
