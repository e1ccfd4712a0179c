import { oneLine } from '../../../model/text/plain-text';
import { Command } from '@commander-js/extra-typings';
import { loadConfig } from '../../../config/load-config';
import { exitStatus } from '../../../model/errors/error-codes';
import {
  exportedOf,
  fileSettings,
  parseSettings,
  settingsText,
} from '../../../domain/portal-change/settings-file';
import { perform } from '../../terminal/globals';
import { withLiveSettings } from '../live-settings';
import { writeDocument } from '../../terminal/documents';
import { argumentHelp } from '../../terminal/argument-help';

/** `portolan settings export`: writes a portal's settings to a file that can be applied. */
export const settingsExportCommand = () =>
  new Command('export')
    .description(
      "Export a portal's settings (read-only).\n\nWrites JSON if FILE ends in .json, otherwise YAML, with the portal version, so that 'settings diff' can show what an upgrade dropped.",
    )
    .argument('<portal>', argumentHelp.portal)
    .argument('[file]', argumentHelp.outputFile)
    .action((portalName, file = '-', _options, command) =>
      perform(command, (output, globals) =>
        withLiveSettings(loadConfig(globals.config), portalName, async (live) => {
          const exported = exportedOf(live);
          const { settings, unknown } = fileSettings(live);
          const warn = (words: string): void =>
            output.note(output.side.colors.yellow(`warning  ${oneLine(words)}`));
          for (const path of unknown) warn(`${path} is skipped: unknown setting`);
          for (const problem of parseSettings({ exported, ...settings }).problems)
            warn(`${problem}; a file cannot set this value`);
          if (file === '-') {
            output.showDocument(
              { exported, ...settings },
              settingsText(exported, settings, 'yaml').trimEnd(),
            );
            return exitStatus.done;
          }
          const form = /\.json$/i.test(file) ? 'json' : 'yaml';
          await writeDocument(file, settingsText(exported, settings, form));
          output.note(`wrote ${file}`);
          if (output.format !== 'table') output.show({ file, exported }, () => '');
          return exitStatus.done;
        }),
      ),
    );
