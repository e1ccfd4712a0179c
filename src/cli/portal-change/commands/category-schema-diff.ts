import { Command } from '@commander-js/extra-typings';
import { loadConfig } from '../../../config/load-config';
import { categoryDifferences } from '../../../domain/portal-change/category-differences';
import { exitStatus } from '../../../model/errors/error-codes';
import { perform } from '../../terminal/globals';
import { withLiveCategories } from '../live-categories';
import { documentName } from '../../terminal/documents';
import { schemaWords } from '../render/categories';
import { differencesTable } from '../../run/render/differences';
import { countOf, shellWord } from '../../../model/text/words';
import { categoriesOf } from '../desired-categories';
import { argumentHelp } from '../../terminal/argument-help';

/** `portolan category-schema diff`: shows what applying this file would change. */
export const categorySchemaDiffCommand = () =>
  new Command('diff')
    .description("Compare a portal's category schema with a file (read-only).\n\nExits 20 if they differ.")
    .argument('<portal>', argumentHelp.portal)
    .argument('<file>', argumentHelp.inputFile)
    .action((portalName, file, _options, command) =>
      perform(command, (output, globals) => {
        const config = loadConfig(globals.config);
        const desired = categoriesOf(file);
        return withLiveCategories(config, portalName, ({ trees }) => {
          const differences = categoryDifferences(trees, desired);
          const status = differences.length > 0 ? exitStatus.differences : exitStatus.done;
          const has = trees.length === 0 ? 'no category schema' : schemaWords(trees);
          output.note(`${portalName} has ${has}, ${documentName(file)} ${schemaWords(desired)}.\n`);
          if (output.format !== 'table' || differences.length > 0)
            output.show({ portal: portalName, file, differences }, (style) =>
              differencesTable(differences, style, ['PORTAL', 'FILE']),
            );
          output.note(`\n${countOf(differences.length, 'difference')}.  Exit status ${status}.`);
          if (differences.length > 0)
            output.note(`next     portolan category-schema apply ${portalName} ${shellWord(file)}`);
          return Promise.resolve(status);
        });
      }),
    );
