import { Command } from '@commander-js/extra-typings';
import { loadConfig } from '../../../config/load-config';
import { exportedOf } from '../../../domain/portal-change/settings-file';
import { exitStatus } from '../../../model/errors/error-codes';
import { jsonText } from '../../../model/text/plain-text';
import { yamlText } from '../../../model/text/yaml';
import { argumentHelp } from '../../terminal/arguments';
import { writeDocument } from '../../terminal/documents';
import { perform } from '../../terminal/globals';
import { categoryForm } from '../category-form';
import { type DocumentForm, withDocument } from '../document-form';
import { settingsForm } from '../settings-form';
import { examples } from '../../terminal/help';

/** `portolan settings export`: writes a portal's settings to a file that can be applied. */
export const settingsExportCommand = () =>
  exportCommand(
    settingsForm,
    "Export a portal's settings (read-only).\n\nWrites JSON if FILE ends in .json, otherwise YAML, with the portal version, so that 'settings diff' can show what an upgrade dropped.",
  ).addHelpText(...examples('staging', 'staging staging.yaml'));

/** `portolan category-schema export`: writes a portal's schema to a file that can be applied. */
export const categorySchemaExportCommand = () =>
  exportCommand(
    categoryForm,
    "Export a portal's category schema (read-only).\n\nWrites JSON if FILE ends in .json, otherwise YAML.",
  ).addHelpText(...examples('staging', 'staging before.yaml'));

const exportCommand = <T>(form: DocumentForm<T>, description: string) =>
  new Command('export')
    .description(description)
    .argument('<portal>', argumentHelp.portal)
    .argument('[file]', argumentHelp.outputFile)
    .action((portal, file = '-', _options, command) =>
      perform(command, (output, globals) =>
        withDocument(loadConfig(globals.config), portal, form.document, async (found) => {
          const { content, comment, warnings } = form.write(found);
          if (form.summary) output.note(`${portal} has ${form.summary(found.value)}.`);
          for (const warning of warnings) output.warn(warning);
          const isJson = /\.json$/i.test(file);
          const text = isJson ? `${jsonText(content, 2)}\n` : yamlText(content, comment);
          if (file === '-') {
            output.showDocument(content, text.trimEnd());
          } else {
            await writeDocument(file, text);
            output.note(`wrote ${file}`);
            if (output.format !== 'table') output.show({ file, exported: exportedOf(found) }, () => '');
          }
          return exitStatus.done;
        }),
      ),
    );
