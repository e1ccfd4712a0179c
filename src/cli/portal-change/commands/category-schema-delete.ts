import { Command } from '@commander-js/extra-typings';
import { reasonOf } from '../../../domain/transfer/retry';
import {
  categoriesDocument,
  countFiledItems,
  type FiledItems,
  requireCategoryRight,
} from '../../../domain/portal-change/categories';
import { expectedOf } from '../../../domain/portal-change/portal-document';
import { loadConfig } from '../../../config/load-config';
import type { DocumentChangeInput } from '../../../model/portal-change/change';
import { exitStatus } from '../../../model/errors/error-codes';
import { confirmTwice } from '../../terminal/prompts';
import { perform } from '../../terminal/globals';
import { type LiveCategories, withLiveCategories } from '../live-categories';
import type { Output } from '../../terminal/output';
import { filedWords, schemaWords } from '../render/categories';
import { followRequested, runChange } from '../run-change';
import { runIdFor, portalRefOf } from '../../../service/run/start-run';
import { requireAbleWorkers } from '../../../service/run/compatible-workers';
import { keys } from '../../../store/keys';
import { withSources } from '../../../service/run/run-sources';
import { argumentHelp } from '../../terminal/argument-help';
import { reasonOption, requestIdOption, timeoutOption } from '../../terminal/run-options';

/** `portolan category-schema delete`: deletes a portal's category schema; only for full administrators. */
export const categorySchemaDeleteCommand = () =>
  new Command('delete')
    .description(
      "Delete a portal's category schema.\n\nShows how many items have its categories, asks for the portal name, and saves the schema so that you can apply it again. Needs a full administrator.",
    )
    .argument('<portal>', argumentHelp.portal)
    .option('--yes-delete <portal>', 'Confirm deletion without a prompt')
    .addOption(timeoutOption())
    .addOption(requestIdOption())
    .addOption(reasonOption())
    .action((portalName, { yesDelete, timeout: timeoutMs, requestId, reason }, command) =>
      perform(command, (output, globals) => {
        const config = loadConfig(globals.config);
        const portal = portalRefOf(config, portalName);
        return withSources(config, async (sources) => {
          await requireAbleWorkers(sources, [portalName]);
          const options = { timeoutMs, requestId, asked: { operation: 'delete', portal } };
          const known = await followRequested('category-schema', sources, output, portalName, options);
          if (known !== undefined) return known;
          const seen = await withLiveCategories(
            config,
            portalName,
            async (live) => ({ trees: live.trees, filed: await filedUnder(live, output) }),
            (found) => void requireCategoryRight(found, 'delete'),
          );
          const { trees, filed } = seen;
          if (trees.length === 0) {
            output.note(`${portalName} has no category schema.`);
          } else {
            output.note(`${portalName} has a category schema of ${schemaWords(trees)}. ${filedWords(filed)}`);
            const isSure = await confirmTwice(portalName, yesDelete, output, {
              what: `This deletes the category schema of ${portalName}`,
              question: `Delete the category schema of ${portalName}?`,
            });
            if (!isSure) return exitStatus.cancelled;
          }
          const wanted = { categorySchema: [] };
          const runId = runIdFor('category-schema', portalName, requestId);
          await sources.store.writeJson(keys.desired(runId), wanted);
          return await runChange<DocumentChangeInput>(
            'category-schema',
            sources,
            output,
            {
              runId,
              operation: 'delete',
              portal,
              reason,
              expected: expectedOf(categoriesDocument, { categorySchema: trees }, wanted),
              warnings:
                trees.length > 0 && filed?.count !== 0 ? [`category schema: ${filedWords(filed)}`] : [],
            },
            options,
          );
        });
      }),
    );

/** A failed count does not prevent the deletion; it is reported. */
async function filedUnder(
  { portal, portalId, trees }: LiveCategories,
  output: Output,
): Promise<FiledItems | undefined> {
  if (trees.length === 0) return undefined;
  try {
    return await countFiledItems(portal, portalId, trees);
  } catch (thrown) {
    output.note(output.side.colors.yellow(`warning  ${reasonOf(thrown)}`));
    return undefined;
  }
}
