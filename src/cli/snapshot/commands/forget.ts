import { Command } from '@commander-js/extra-typings';
import type { Forgetting } from '../../../contract/snapshots';
import { exitStatus } from '../../../model/errors/error-codes';
import { oneLine } from '../../../model/text/plain-text';
import { bytesText, countOf, timeWords } from '../../../model/text/words';
import { act } from '../../terminal/act';
import { countArgument, durationArgument, nameArgument, repeated } from '../../terminal/arguments';
import { columns } from '../../terminal/columns';
import { askYes } from '../../terminal/prompts';
import type { Style } from '../../terminal/style';
import { ageWords, itemWords, sizeWords } from '../snapshot-words';
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
        const { result } = await portolan.forgetSnapshots({ ...request, seen: yes ? undefined : seen });
        return end(exitStatus.done, result);
      }),
    );

/** The decision on each snapshot, newest first, with its reasons. */
function retentionTable(
  { decisions, unreadable, neededPackages }: Pick<Forgetting, 'decisions' | 'unreadable' | 'neededPackages'>,
  style: Style,
): string {
  const { colors } = style;
  if (decisions.length + unreadable.length === 0) return 'No snapshots.';
  const word = (keep: boolean): string => (keep ? 'keep' : colors.red('forget'));
  const table = columns(
    ['DECISION', 'SNAPSHOT', 'TAKEN', 'AGE', 'ITEMS', 'SIZE', 'REASONS'],
    [
      ...decisions.map((each) => [
        word(each.keep),
        each.id,
        timeWords(each.takenAt),
        ageWords(each.ageMs),
        itemWords(each),
        sizeWords(each),
        oneLine(each.reasons.join('; ')),
      ]),
      ...unreadable.map(({ id, keep, unreadable: { code } }) => [
        word(keep),
        oneLine(id),
        ...['?', '?', '?', '?'],
        keep ? `cannot be read (${code})` : `requested; cannot be read (${code})`,
      ]),
    ],
    style,
  );
  return neededPackages.length === 0 ? table : [table, neededTable(neededPackages, style)].join('\n\n');
}

/** Packages kept because other snapshots need them. */
const neededTable = (packages: Forgetting['neededPackages'], style: Style): string =>
  columns(
    ['PACKAGE KEPT', 'SIZE', 'OF', 'NEEDED BY'],
    packages.map(({ sha256, sizeBytes, of, neededBy }) => [
      `${sha256.slice(0, 12)}..`,
      bytesText(sizeBytes),
      firstOf(of),
      firstOf(neededBy),
    ]),
    style,
  );

const firstOf = ([first = '', ...others]: readonly string[]): string =>
  others.length === 0 ? oneLine(first) : `${oneLine(first)} and ${others.length} more`;

/** The outcome. */
function forgottenWords(
  { forgotten, packages, freedBytes, leftovers, notes }: NonNullable<Forgetting['result']>,
  { colors }: Style,
): string {
  return [
    `Forgot ${countOf(forgotten.length, 'snapshot')}; removed ${countOf(packages, 'package')}, ${bytesText(freedBytes)}.`,
    ...(leftovers.length === 0
      ? []
      : [`Removed unfinished snapshots: ${leftovers.map(oneLine).join(', ')}.`]),
    ...notes.map((note) => colors.yellow(`note  ${oneLine(note)}`)),
  ].join('\n');
}
