import { Command } from '@commander-js/extra-typings';
import { loadConfig } from '../../../config/load-config';
import { resolveRoute } from '../../../config/resolve-route';
import { exitStatus } from '../../../model/errors/error-codes';
import type { Diff } from '../../../domain/transfer/diff-groups';
import { perform } from '../../terminal/globals';
import { diffHeader, diffTable, diffWords } from '../render/diff';

/** `portolan diff`: both groups side by side, without a write. */
export const diffCommand = () =>
  new Command('diff')
    .summary('what would change, writes nothing')
    .description(
      'Compares both groups of a route by their listings, without writing anything. Ends with 20 where they differ. What the target itself says is known only after an export: portolan sync ROUTE --plan-only.',
    )
    .argument('<route>', 'name of a route in portolan.yaml')
    .action((routeName, _options, command) =>
      perform(command, async (output, globals) => {
        const config = loadConfig(globals.config);
        const route = resolveRoute(config, { route: routeName });
        const [{ PortalPool }, { diffGroups }] = await Promise.all([
          import('../../../config/portal-pool.js'),
          import('../../../domain/transfer/diff-groups.js'),
        ]);
        const portals = new PortalPool(config);
        try {
          const diff = await diffGroups(route, portals);
          const status = differs(diff) ? exitStatus.differences : exitStatus.done;
          output.note(`${diffHeader(diff)}\n`);
          output.show(diff, (style) => diffTable(diff, style));
          output.note(
            `\n${diffWords(diff)}.  Target: untouched.  Exit status ${status}.\nnext     portolan sync ${routeName}`,
          );
          return status;
        } finally {
          await portals.close();
        }
      }),
    );

const differs = ({ rows }: Diff): boolean =>
  rows.some(({ difference }) => difference === 'new' || difference === 'changed' || difference === 'extra');
