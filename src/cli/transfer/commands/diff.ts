import { Command } from '@commander-js/extra-typings';
import { exitStatus } from '../../../model/errors/error-codes';
import { perform } from '../../terminal/globals';
import { withStoredPortolan } from '../../terminal/with-portolan';
import { diffHeader, diffTable, diffWords, keptLines } from '../render/diff';
import { argumentHelp } from '../../terminal/argument-help';

/** `portolan diff`: compares both groups; writes nothing. */
export const diffCommand = () =>
  new Command('diff')
    .description(
      'Show what a sync would change (read-only).\n\nCompares both groups and the results of earlier runs. Exits 20 if a sync would change something or an item is blocked. Kept, extra and non-exportable items are shown but do not count. For what the target itself reports: portolan sync ROUTE --plan-only',
    )
    .argument('<route>', argumentHelp.route)
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
            `\n${diffWords(diff)}.  Target: unchanged.  Exit status ${status}.`,
            ...keptLines(diff),
            `next     portolan sync ${routeName}`,
          ].join('\n'),
        );
        return status;
      }),
    );
