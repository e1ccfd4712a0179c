import { Command } from '@commander-js/extra-typings';
import { exitStatus } from '../../../model/errors/error-codes';
import { perform } from '../../terminal/globals';
import { withStoredPortolan } from '../../terminal/with-portolan';
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
        const { unknown, ...diff } = await withStoredPortolan(globals, ({ routes }) =>
          routes.diff(routeName),
        );
        if (unknown !== undefined) {
          const warning = `warning  the outcome of earlier runs is unknown: ${unknown}`;
          output.note(output.side.colors.yellow(warning));
        }
        const { hasWork } = await import('../../../domain/transfer/diff-groups.js');
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
      }),
    );
