import { Command } from '@commander-js/extra-typings';
import { loadConfig } from '../../../config/load-config';
import { countFiledItems, type FiledItems } from '../../../domain/portal-change/categories';
import { reasonOf } from '../../../domain/transfer/retry';
import { countOf } from '../../../model/text/words';
import { argumentHelp, reasonOption, requestIdOption, timeoutOption } from '../../terminal/arguments';
import { perform } from '../../terminal/globals';
import { confirmTwice } from '../../terminal/prompts';
import { categoryForm } from '../category-form';
import { changePortal } from '../change-portal';
import { saveWanted, withDocument } from '../document-form';
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
    .action((name, { yesDelete, ...options }, command) =>
      perform(command, (output, globals) => {
        const config = loadConfig(globals.config);
        const { kind, document, summary } = categoryForm;
        const change = { kind, operation: 'delete', portal: name, asked: {} };
        return changePortal(config, output, { ...change, ...options }, ({ store }, runId) =>
          withDocument(config, name, document, async (found, portal) => {
            const { value, portalId } = found;
            const wanted = { categorySchema: [] };
            document.require(found, wanted);
            const warnings: string[] = [];
            const has = `${name} has ${summary?.(value)}`;
            if (value.categorySchema.length === 0) {
              output.note(`${has}.`);
            } else {
              // A failed count does not prevent the deletion.
              const filed = await countFiledItems(portal, portalId, value.categorySchema).catch(
                (thrown: unknown) => output.warn(reasonOf(thrown)),
              );
              output.note(`${has}. ${filedText(filed ?? undefined)}`);
              const isSure = await confirmTwice(name, yesDelete, output, {
                what: `This deletes the category schema of ${name}`,
                question: `Delete the category schema of ${name}?`,
              });
              if (!isSure) return undefined;
              if (filed?.count !== 0) warnings.push(`category schema: ${filedText(filed ?? undefined)}`);
            }
            return await saveWanted(document, store, runId, value, { wanted, warnings });
          }),
        );
      }),
    );

/** The number of items in these categories; undefined if they could not be counted. */
function filedText(filed: FiledItems | undefined): string {
  if (filed === undefined) return 'Its items could not be counted.';
  const { count, isAtLeast } = filed;
  const items = `${isAtLeast ? 'At least ' : ''}${countOf(count, 'item')}`;
  return `${items} ${count === 1 && !isAtLeast ? 'is' : 'are'} filed under it, according to search.`;
}
