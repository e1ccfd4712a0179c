import { Command } from '@commander-js/extra-typings';
import { exitStatus } from '../../../model/errors/error-codes';
import type { Forgetting } from '../../../service/snapshot/forget-view';
import { countArgument, durationArgument, nameArgument, repeated } from '../../terminal/arguments';
import { perform } from '../../terminal/globals';
import { askYes } from '../../terminal/prompts';
import { withReadablePortolan } from '../../terminal/with-portolan';
import { forgottenWords, retentionTable } from '../render/snapshot-forget';
import { countOf } from '../../../model/text/words';

/** `portolan snapshot forget`: removes snapshots by ID, or those of a route that no rule keeps. */
export const snapshotForgetCommand = () =>
  new Command('forget')
    .description(
      "Remove snapshots by ID or by retention policy.\n\nUses the --keep rules, or the route's policy if none are given. Lists every decision with its reason, then asks. Never removes pinned snapshots, those an open run or a release needs, or each route's last good snapshot and the last one a drill proved.",
    )
    .argument('[snapshots...]', 'IDs or unique ID suffixes')
    .option('--route <name>', "Apply the policy to this route's snapshots", nameArgument)
    .option('--keep-last <count>', 'Keep the last COUNT snapshots', countArgument)
    .option('--keep-hourly <count>', 'Likewise, hourly snapshots', countArgument)
    .option('--keep-daily <count>', 'Likewise, daily snapshots', countArgument)
    .option('--keep-weekly <count>', 'Likewise, weekly snapshots', countArgument)
    .option('--keep-monthly <count>', 'Likewise, monthly snapshots', countArgument)
    .option('--keep-yearly <count>', 'Likewise, yearly snapshots', countArgument)
    .option('--keep-within <duration>', 'Keep all within DURATION of the newest', durationArgument)
    .option('--keep-tag <tag>', 'Keep snapshots with this tag (repeatable)', repeated)
    .option('--safeguards', 'Remove only expired safeguards (items saved before overwriting)')
    .option('--dry-run', 'Show decisions; remove nothing')
    .option('--yes', 'Do not ask')
    .action((texts, options, command) =>
      perform(command, (output, globals) =>
        withReadablePortolan(globals, async ({ snapshots }) => {
          const { route, safeguards, dryRun = false, yes, ...rules } = options;
          const keep = {
            last: rules.keepLast,
            hourly: rules.keepHourly,
            daily: rules.keepDaily,
            weekly: rules.keepWeekly,
            monthly: rules.keepMonthly,
            yearly: rules.keepYearly,
            withinMs: rules.keepWithin,
            tags: rules.keepTag && [...rules.keepTag],
          };
          const request = { ...(texts.length > 0 && { snapshots: texts }), route, keep, safeguards };
          const { seen, notes, ...planned } = await snapshots.forget(request, { dryRun: true });
          for (const note of notes) output.note(`note  ${note}`);
          const end = (status: number, result: Forgetting['result']): number => {
            output.show({ ...planned, dryRun, result }, (style) =>
              result ? forgottenWords(result, style) : 'No snapshots forgotten.',
            );
            return status;
          };
          output.before((style) => retentionTable(planned, style));
          if (dryRun) return end(exitStatus.done, undefined);
          const going = [...planned.decisions, ...planned.unreadable].filter((each) => !each.keep).length;
          if (going > 0 && !yes) {
            const count = countOf(going, 'snapshot');
            const answer = await askYes(`Forget ${count}?`, {
              what: 'This needs confirmation; nothing was forgotten.',
              hint: `To forget ${count}, repeat the command with --yes.`,
            });
            if (!answer) return end(exitStatus.cancelled, undefined);
          }
          const { result } = await snapshots.forget(request, yes ? {} : { seen });
          return end(exitStatus.done, result);
        }),
      ),
    );
