import { oneLine } from '../../../model/text/plain-text';
import { Command } from '@commander-js/extra-typings';
import { exitStatus } from '../../../model/errors/error-codes';
import type { VerifiedSnapshot } from '../../../contract/snapshots';
import { act } from '../../terminal/act';
import { columns } from '../../terminal/columns';
import type { Style } from '../../terminal/style';
import { countOf, quoted, bytesText } from '../../../model/text/words';
import { argumentHelp } from '../../terminal/arguments';
import { examples } from '../../terminal/help';

/** Items listed for each snapshot. */
const NAMED_MAX = 20;

/** `portolan snapshot verify`: reads every byte of snapshots and lists each altered or missing file. */
export const snapshotVerifyCommand = () =>
  new Command('verify')
    .description(
      'Check every byte of snapshots.\n\nLists each file that was altered or is missing; exits 1 if there is one.',
    )
    .addHelpText(...examples('latest:transport', '--all'))
    .argument('[snapshots...]', argumentHelp.snapshot)
    .option('--all', 'Check every snapshot in the store')
    .option('--route <name>', 'Check every snapshot of this route, and unreadable ones')
    .action(
      act(async ({ portolan, output }, texts, { all, route }) => {
        const request = { all, route, snapshots: texts.length > 0 ? texts : undefined };
        const verified: VerifiedSnapshot[] = [];
        const show = (): void => {
          if (output.format !== 'ndjson') output.show(verified, (style) => verifiedTable(verified, style));
        };
        try {
          for await (const each of portolan.verifySnapshots(request)) {
            verified.push(each);
            output.event(each);
          }
        } catch (thrown) {
          // One document: the error, with what was verified before it.
          if (output.format === 'json') return output.fail(thrown, { verified });
          if (verified.length > 0) show();
          throw thrown;
        }
        show();
        return verified.some(({ problems }) => problems.length > 0) ? exitStatus.failed : exitStatus.done;
      }),
    );

/** Snapshots, one per line, then each altered or missing file. */
function verifiedTable(verified: readonly VerifiedSnapshot[], style: Style): string {
  if (verified.length === 0) return 'No snapshots.';
  const { colors } = style;
  const table = columns(
    ['SNAPSHOT', 'FILES', 'READ', 'RESULT'],
    verified.map(({ id, files, bytes, problems }) => [
      oneLine(id),
      String(files),
      bytesText(bytes),
      problems.length === 0 ? colors.green('ok') : colors.red(countOf(problems.length, 'problem')),
    ]),
    style,
  );
  const problems = verified.flatMap(({ id, problems: its }) =>
    its.map(({ file, problem, costs = [] }) =>
      [
        `${colors.red('!!')}  ${oneLine(id)}`,
        ...[oneLine(file), oneLine(problem), ...costs.flatMap(costLines)].map((line) => `    ${line}`),
      ].join('\n'),
    ),
  );
  return [table, ...problems].join('\n\n');
}

type Lost = NonNullable<VerifiedSnapshot['problems'][number]['costs']>[number];

/** The items a snapshot loses with a package; the first ones by name. */
function costLines({ id, items, why }: Lost): string[] {
  const named = items.slice(0, NAMED_MAX).map(({ itemId, title }) => `  ${oneLine(itemId)} ${quoted(title)}`);
  const rest = items.length - named.length;
  return [
    `${oneLine(id)} loses ${why === undefined ? countOf(items.length, 'item') : `unknown items: ${oneLine(why)}`}`,
    ...named,
    ...(rest > 0 ? [`  and ${rest} more; list all with -o json`] : []),
  ];
}
