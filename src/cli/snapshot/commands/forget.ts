import { Command } from '@commander-js/extra-typings';
import { exitStatus } from '../../../model/errors/error-codes';
import type { Forgetting } from '../../../service/snapshot/forget-view';
import { countArgument, durationArgument, nameArgument, repeated } from '../../terminal/arguments';
import { perform } from '../../terminal/globals';
import { askYes } from '../../terminal/prompts';
import { withReadablePortolan } from '../../terminal/with-portolan';
import { forgottenWords, retentionTable } from '../render/snapshot-forget';
import { countOf } from '../../../model/text/words';

/** `portolan snapshot forget`: removes snapshots by name, or those of a route that no rule keeps. */
export const snapshotForgetCommand = () =>
  new Command('forget')
    .summary('removes snapshots that no rule keeps, or that are named')
    .description(
      'Removes snapshots: those that are named, or those of a route that no rule keeps. The rules are those given, else those of the route in portolan.yaml. What stays and goes is shown with the reasons, and then asked for. Pinned ones, those that an open run needs, the last good one of each route and the last that was proven restorable always stay.',
    )
    .argument('[snapshots...]', 'ids, or ends of them')
    .option(
      '--route <name>',
      'snapshots of this route, by its policy or by that of the options',
      nameArgument,
    )
    .option('--keep-last <count>', 'the newest so many', countArgument)
    .option('--keep-hourly <count>', 'the newest of each of so many hours', countArgument)
    .option('--keep-daily <count>', 'the newest of each of so many days', countArgument)
    .option('--keep-weekly <count>', 'the newest of each of so many weeks', countArgument)
    .option('--keep-monthly <count>', 'the newest of each of so many months', countArgument)
    .option('--keep-yearly <count>', 'the newest of each of so many years', countArgument)
    .option('--keep-within <duration>', 'all of so long before the newest', durationArgument)
    .option('--keep-tag <tag>', 'all with this tag; can be repeated', repeated)
    .option('--safeguards', 'only safeguards whose time is over')
    .option('--dry-run', 'shows what would go, and removes nothing')
    .option('--yes', 'does not ask')
    .action((texts, options, command) =>
      perform(command, (output, globals) =>
        withReadablePortolan(globals, async ({ snapshots }) => {
          const { route, safeguards, dryRun = false, yes, ...rules } = options;
          const keep = {
            ...{ last: rules.keepLast, hourly: rules.keepHourly, daily: rules.keepDaily },
            ...{ weekly: rules.keepWeekly, monthly: rules.keepMonthly, yearly: rules.keepYearly },
            ...{ withinMs: rules.keepWithin, tags: rules.keepTag && [...rules.keepTag] },
          };
          const request = { ...(texts.length > 0 && { snapshots: texts }), route, keep, safeguards };
          const { seen, notes, ...planned } = await snapshots.forget(request, { dryRun: true });
          for (const note of notes) output.note(`note  ${note}`);
          const end = (status: number, result: Forgetting['result']): number => {
            output.show({ ...planned, dryRun, result }, (style) =>
              result ? forgottenWords(result, style) : 'Nothing was forgotten.',
            );
            return status;
          };
          output.before((style) => retentionTable(planned, style));
          if (dryRun) return end(exitStatus.done, undefined);
          const going = [...planned.decisions, ...planned.unreadable].filter((each) => !each.keep).length;
          if (going > 0 && !yes) {
            const count = countOf(going, 'snapshot');
            const answer = await askYes(`Forget ${count}?`, {
              what: `Nobody said yes to this, and nothing was forgotten.`,
              hint: `To forget ${count}, repeat the command with --yes.`,
            });
            if (!answer) return end(exitStatus.cancelled, undefined);
          }
          const { result } = await snapshots.forget(request, yes ? {} : { seen });
          return end(exitStatus.done, result);
        }),
      ),
    );
