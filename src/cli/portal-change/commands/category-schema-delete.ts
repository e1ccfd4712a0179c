import { Command } from '@commander-js/extra-typings';
import { act } from '../../terminal/act';
import { argumentHelp, reasonOption, requestIdOption, timeoutOption } from '../../terminal/arguments';
import { confirmTwice } from '../../terminal/prompts';
import { changeDocument } from '../change-document';
import { examples } from '../../terminal/help';

/** `portolan category-schema delete`: deletes a portal's category schema; only for full administrators. */
export const categorySchemaDeleteCommand = () =>
  new Command('delete')
    .description(
      "Delete a portal's category schema.\n\nShows how many items have its categories, asks for the portal name, and saves the schema so that you can apply it again. Needs a full administrator.",
    )
    .addHelpText(...examples('production', 'production --yes-delete production'))
    .argument('<portal>', argumentHelp.portal)
    .option('--yes-delete <portal>', 'Confirm deletion without a prompt')
    .addOption(timeoutOption())
    .addOption(requestIdOption())
    .addOption(reasonOption())
    .action(
      act((session, portal, { yesDelete, ...options }) =>
        changeDocument(session, { portal, kind: 'category-schema', none: true }, options, () =>
          confirmTwice(portal, yesDelete, session.output, {
            what: `This deletes the category schema of ${portal}`,
            question: `Delete the category schema of ${portal}?`,
          }),
        ),
      ),
    );
