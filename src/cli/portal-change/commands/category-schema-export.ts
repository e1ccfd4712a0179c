import { jsonText, oneLine } from '../../../model/text/plain-text';
import { yamlText } from '../../../model/text/yaml';
import { Command } from '@commander-js/extra-typings';
import { loadConfig } from '../../../config/load-config';
import { type Category, plainTrees } from '../../../model/portal-change/category-schema';
import { exitStatus } from '../../../model/errors/error-codes';
import { perform } from '../../terminal/globals';
import { withLiveCategories } from '../live-categories';
import { schemaWords } from '../render/categories';
import { writeDocument } from '../../terminal/documents';
import { argumentHelp } from '../../terminal/argument-help';

/** `portolan category-schema export`: writes a portal's schema to a file that can be applied. */
export const categorySchemaExportCommand = () =>
  new Command('export')
    .description(
      "Export a portal's category schema (read-only).\n\nWrites JSON if FILE ends in .json, otherwise YAML.",
    )
    .argument('<portal>', argumentHelp.portal)
    .argument('[file]', argumentHelp.outputFile)
    .action((portalName, file = '-', _options, command) =>
      perform(command, (output, globals) =>
        withLiveCategories(loadConfig(globals.config), portalName, async ({ trees }) => {
          const categorySchema = plainTrees(trees);
          const said = trees.length === 0 ? 'has no category schema' : `has ${schemaWords(trees)}`;
          output.note(`${portalName} ${said}.`);
          const left = [...otherFields(trees)].sort();
          if (left.length > 0)
            output.note(`skipped, not supported in files: ${left.map(oneLine).join(', ')}`);
          if (file === '-') {
            output.showDocument({ categorySchema }, yamlOf(categorySchema).trimEnd());
          } else {
            const isJson = /\.json$/i.test(file);
            const text = isJson ? `${jsonText({ categorySchema }, 2)}\n` : yamlOf(categorySchema);
            await writeDocument(file, text);
            output.note(`wrote ${file}`);
            if (output.format !== 'table')
              output.show({ portal: portalName, file, trees: trees.length }, () => '');
          }
          return exitStatus.done;
        }),
      ),
    );

const yamlOf = (categorySchema: readonly Category[]): string => yamlText({ categorySchema });

/** Category fields that are specific to this portal. */
function otherFields(trees: readonly Category[]): Set<string> {
  return new Set(
    trees.flatMap(({ title: _title, description: _description, categories = [], ...more }) => [
      ...Object.keys(more),
      ...otherFields(categories),
    ]),
  );
}
