import { oneLine } from '../../../model/text/plain-text';
import { Command } from '@commander-js/extra-typings';
import { loadConfig } from '../../../config/load-config';
import { exitStatus } from '../../../model/errors/error-codes';
import { exportedOf } from '../../../domain/portal-change/settings/settings-portal';
import {
  exportProblems,
  fileSettings,
  settingsText,
} from '../../../domain/portal-change/settings/settings-file';
import { perform } from '../../terminal/globals';
import { withLiveSettings } from '../live-settings';
import { writeDocument } from '../../terminal/documents';

/** `portolan settings export`: what a portal has, as a file that can be applied. */
export const settingsExportCommand = () =>
  new Command('export')
    .description(
      'Writes the settings of a portal as YAML, or as JSON where FILE ends in .json, to FILE or to stdout; with the version of the portal, so that `settings diff` can say later what an upgrade dropped. Writes nothing on the portal.',
    )
    .argument('<portal>', 'portal of portolan.yaml')
    .argument('[file]', 'is replaced where it is there already; - is stdout')
    .action((portalName, file = '-', _options, command) =>
      perform(command, (output, globals) =>
        withLiveSettings(loadConfig(globals.config), portalName, async (live) => {
          const exported = exportedOf(live);
          const { settings, unknown } = fileSettings(live);
          const warn = (words: string): void =>
            output.note(output.side.colors.yellow(`warning  ${oneLine(words)}`));
          for (const path of unknown) warn(`${path} is skipped: unknown setting`);
          for (const problem of exportProblems(settings)) warn(`${problem}; a file cannot set this value`);
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
