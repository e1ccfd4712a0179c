import { Command } from '@commander-js/extra-typings';
import type { DocumentKind } from '../../../model/portal-change/change';
import { jsonText } from '../../../model/text/plain-text';
import { yamlText } from '../../../model/text/yaml';
import { act } from '../../terminal/act';
import { argumentHelp } from '../../terminal/arguments';
import { writeDocument } from '../../terminal/documents';
import { examples } from '../../terminal/help';

/** `portolan settings export`: writes a portal's settings to a file that can be applied. */
export const settingsExportCommand = () =>
  exportCommand(
    'settings',
    "Export a portal's settings (read-only).\n\nWrites JSON if FILE ends in .json, otherwise YAML, with the portal version, so that 'settings diff' can show what an upgrade dropped.",
  ).addHelpText(...examples('staging', 'staging staging.yaml'));

/** `portolan category-schema export`: writes a portal's schema to a file that can be applied. */
export const categorySchemaExportCommand = () =>
  exportCommand(
    'category-schema',
    "Export a portal's category schema (read-only).\n\nWrites JSON if FILE ends in .json, otherwise YAML.",
  ).addHelpText(...examples('staging', 'staging before.yaml'));

const exportCommand = (kind: DocumentKind, description: string) =>
  new Command('export')
    .description(description)
    .argument('<portal>', argumentHelp.portal)
    .argument('[file]', argumentHelp.outputFile)
    .action(
      act(async ({ portolan, output }, name, file = '-') => {
        const { portal, content, comment, summary, warnings } = await portolan.readDocument({
          portal: name,
          kind,
        });
        if (summary !== undefined) output.note(`${name} has ${summary}.`);
        for (const warning of warnings) output.warn(warning);
        const isJson = /\.json$/i.test(file);
        const text = isJson ? `${jsonText(content, 2)}\n` : yamlText(content, comment);
        if (file === '-') return output.showDocument(content, text.trimEnd());
        await writeDocument(file, text);
        output.note(`wrote ${file}`);
        if (output.format !== 'table') output.show({ file, exported: portal }, () => '');
      }),
    );
