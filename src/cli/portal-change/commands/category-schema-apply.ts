import { Command } from '@commander-js/extra-typings';
import { categoriesDocument, requireCategoryRight } from '../../../domain/portal-change/categories';
import { loadConfig } from '../../../config/load-config';
import { categoryDifferences } from '../../../domain/portal-change/category-differences';
import { expectedOf } from '../../../domain/portal-change/portal-document';
import type { DocumentChangeInput } from '../../../model/portal-change/change';
import type { Category } from '../../../model/portal-change/category-schema';
import { exitStatus } from '../../../model/errors/error-codes';
import { PortolanError } from '../../../model/errors/errors';
import { keys } from '../../../store/keys';
import { agreeToChange } from '../confirm-change';
import { perform } from '../../terminal/globals';
import { withLiveCategories } from '../live-categories';
import { countOf } from '../../../model/text/words';
import { followRequested, runChange } from '../run-change';
import { runIdFor, portalRefOf } from '../../../service/run/start-run';
import { requireAbleWorkers } from '../../../service/run/compatible-workers';
import { categoriesOf, savedCategories } from '../desired-categories';
import { withSources } from '../../../service/run/run-sources';
import { argumentHelp } from '../../terminal/argument-help';
import { reasonOption, requestIdOption, timeoutOption } from '../../terminal/run-options';

/** `portolan category-schema apply`: replaces a portal's category schema with a file or with saved values. */
export const categorySchemaApplyCommand = () =>
  new Command('apply')
    .description(
      "Replace a portal's category schema with a file.\n\nShows the changes, asks, saves the current schema, writes the new one and reads it back. Items keep their categories.",
    )
    .argument('<portal>', argumentHelp.portal)
    .argument('[file]', argumentHelp.inputFile)
    .option('--saved <run>', 'Restore the schema this run replaced, instead of a file')
    .option('--yes', 'Do not ask')
    .addOption(timeoutOption())
    .addOption(requestIdOption())
    .addOption(reasonOption())
    .action((portalName, file, { saved, yes, timeout: timeoutMs, requestId, reason }, command) =>
      perform(command, (output, globals) => {
        const config = loadConfig(globals.config);
        const portal = portalRefOf(config, portalName);
        const given = file === undefined ? undefined : categoriesOf(file);
        if ((given === undefined) === (saved === undefined))
          throw new PortolanError('USAGE', 'Give either a file or --saved RUN.', {
            hint: 'See: portolan category-schema apply --help',
          });
        return withSources(config, async (sources) => {
          const { store } = sources;
          await requireAbleWorkers(sources, [portalName]);
          const desired = given ?? (await savedCategories(sources, portalName, saved ?? ''));
          const options = { timeoutMs, requestId, asked: { operation: 'apply', portal, desired } };
          const known = await followRequested('category-schema', sources, output, portalName, options);
          if (known !== undefined) return known;
          const live = await withLiveCategories(
            config,
            portalName,
            ({ trees }) => Promise.resolve(trees),
            (found) => void requireCategoryRight(found, 'apply'),
          );
          refuseEmpty(portalName, desired, live);
          const differences = categoryDifferences(live, desired);
          const question = `Apply ${countOf(differences.length, 'change')} to ${portalName}?`;
          if (!(await agreeToChange(portalName, differences, { question, yes }, output)))
            return exitStatus.cancelled;
          const runId = runIdFor('category-schema', portalName, requestId);
          const wanted = { categorySchema: desired };
          await store.writeJson(keys.desired(runId), wanted);
          return await runChange<DocumentChangeInput>(
            'category-schema',
            sources,
            output,
            {
              runId,
              operation: 'apply',
              portal,
              reason,
              expected: expectedOf(categoriesDocument, { categorySchema: live }, wanted),
            },
            options,
          );
        });
      }),
    );

/** An empty file would delete the schema, which has its own command and rules. */
function refuseEmpty(portal: string, desired: readonly Category[], live: readonly Category[]): void {
  if (desired.length > 0 || live.length === 0) return;
  throw new PortolanError('USAGE', `The file has no categories, but ${portal} has some. Nothing was sent.`, {
    hint: `To delete the schema: portolan category-schema delete ${portal}`,
  });
}
