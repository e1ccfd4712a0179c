import { Command } from '@commander-js/extra-typings';
import type { Forgetting } from '../../../contract/snapshots';
import { exitStatus } from '../../../model/errors/error-codes';
import { bad, notice, type Sheet, tableOf, type Value } from '../../../model/text/sheet';
import { bytesText, countOf, durationWords } from '../../../model/text/words';
import { takenColumns } from '../../../service/snapshot/snapshot-sheets';
import { act } from '../../terminal/act';
import { countArgument, durationArgument, nameArgument, repeated } from '../../terminal/arguments';
import { askYes } from '../../terminal/prompts';
import { examples } from '../../terminal/help';

/** `portolan snapshot forget`: removes snapshots by ID, or those of a route that no rule keeps. */
export const snapshotForgetCommand = () =>
  new Command('forget')
    .description(
      "Remove snapshots by ID or by retention policy.\n\nUses the --keep rules, or the route's policy if none are given. Lists every decision with its reason, then asks. Never removes pinned snapshots, those an open run or a release needs, or each route's last good snapshot and the last one a drill proved.",
    )
    .addHelpText(...examples('--route transport --keep-daily 14 --keep-monthly 12 --dry-run', 'k7q2 --yes'))
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
    .action(
      act(async ({ portolan, output }, texts, options) => {
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
        const request = { snapshots: texts.length > 0 ? texts : undefined, route, keep, safeguards };
        const { seen, notes, ...planned } = await portolan.forgetSnapshots({ ...request, dryRun: true });
        for (const note of notes) output.note(`note  ${note}`);
        const end = (status: number, result: Forgetting['result']): number => {
          output.show({ ...planned, dryRun, result }, () =>
            result ? forgottenSheet(result) : 'No snapshots forgotten.',
          );
          return status;
        };
        output.before(() => retentionSheet(planned));
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
        const { result } = await portolan.forgetSnapshots({ ...request, seen: yes ? undefined : seen });
        return end(exitStatus.done, result);
      }),
    );

/** The decision on each snapshot, newest first, with its reasons, and the packages that stay for other snapshots. */
const retentionSheet = ({
  decisions,
  unreadable,
  neededPackages,
}: Pick<Forgetting, 'decisions' | 'unreadable' | 'neededPackages'>): Sheet => [
  tableOf(
    decisions,
    [
      ['Decision', decisionOf],
      ['Snapshot', ({ id }) => id],
      ['Age', ({ ageMs }) => durationWords(ageMs)],
      ...takenColumns,
      ['Reasons', ({ reasons }) => reasons.join('; ')],
    ],
    { empty: unreadable.length === 0 ? 'No snapshots.' : undefined },
  ),
  tableOf(unreadable, [
    ['Decision', decisionOf],
    ['Unreadable', ({ id }) => id],
    ['Code', ({ unreadable: { code } }) => bad(code)],
    ['Reasons', ({ keep }) => (keep ? 'cannot be read' : 'requested')],
  ]),
  tableOf(neededPackages, [
    ['Package kept', ({ sha256 }) => `${sha256.slice(0, 12)}..`],
    ['Size', ({ sizeBytes }) => bytesText(sizeBytes)],
    ['Of', ({ of }) => firstOf(of)],
    ['Needed by', ({ neededBy }) => firstOf(neededBy)],
  ]),
];

const decisionOf = ({ keep }: { readonly keep: boolean }): Value => (keep ? 'keep' : bad('forget'));

const firstOf = ([first = '', ...others]: readonly string[]): string =>
  others.length === 0 ? first : `${first} and ${others.length} more`;

/** The outcome. */
const forgottenSheet = ({
  forgotten,
  packages,
  freedBytes,
  leftovers,
  notes,
}: NonNullable<Forgetting['result']>): Sheet => [
  {
    lines: [
      `Forgot ${countOf(forgotten.length, 'snapshot')}; removed ${countOf(packages, 'package')}, ${bytesText(freedBytes)}.`,
      ...(leftovers.length === 0 ? [] : [`Removed unfinished snapshots: ${leftovers.join(', ')}.`]),
      ...notes.map((note) => notice(`note: ${note}`)),
    ],
  },
];
