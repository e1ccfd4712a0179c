import { Command } from '@commander-js/extra-typings';
import { loadConfig } from '../../../config/load-config';
import { resolveRoute } from '../../../config/resolve-route';
import { exitStatus } from '../../../model/errors/error-codes';
import { PortolanError } from '../../../model/errors/errors';
import type { Outcomes } from '../../../model/transfer/outcomes';
import { perform } from '../../terminal/globals';
import { diffHeader, diffTable, diffWords, keptLines } from '../render/diff';

/** `portolan diff`: both groups side by side, without a write. */
export const diffCommand = () =>
  new Command('diff')
    .summary('what would change, writes nothing')
    .description(
      'Compares both groups of a route by their listings, and by what its last runs came to, without writing anything. Ends with 20 where a sync would change something or something is blocked, and with 0 after a sync that succeeded: what the route keeps, what only the target has, and what cannot be exported is shown and counts for no change. What the target itself says is known only after an export: portolan sync ROUTE --plan-only.',
    )
    .argument('<route>', 'name of a route in portolan.yaml')
    .action((routeName, _options, command) =>
      perform(command, async (output, globals) => {
        const config = loadConfig(globals.config);
        const route = resolveRoute(config, { route: routeName });
        const [{ PortalPool }, { diffGroups, hasWork }, { readOutcomes }, { openStore }] = await Promise.all([
          import('../../../config/portal-pool.js'),
          import('../../../domain/transfer/diff-groups.js'),
          import('../../../domain/transfer/outcomes.js'),
          import('../../../store/open-store.js'),
        ]);
        const portals = new PortalPool(config);
        try {
          const { known, why } = await readOutcomes(openStore(config), route).catch(unread);
          if (why !== undefined) {
            const warning = `warning  what earlier runs came to is not known: ${why}`;
            output.note(output.side.colors.yellow(warning));
          }
          const diff = await diffGroups(route, portals, known);
          const status = hasWork(diff) ? exitStatus.differences : exitStatus.done;
          output.note(`${diffHeader(diff)}\n`);
          output.show(diff, (style) => diffTable(diff, style));
          output.note(
            [
              `\n${diffWords(diff)}.  Target: untouched.  Exit status ${status}.`,
              ...keptLines(diff),
              `next     portolan sync ${routeName}`,
            ].join('\n'),
          );
          return status;
        } finally {
          await portals.close();
        }
      }),
    );

/** Two portals can be compared where there is no store, or none yet. */
const unread = (thrown: unknown): { readonly known: Outcomes; readonly why: string } => ({
  known: {},
  why: PortolanError.from(thrown).plainMessage,
});
