import { Command } from '@commander-js/extra-typings';
import { exitStatus } from '../../../model/errors/error-codes';
import type { VerifiedSnapshot } from '../../../contract/snapshots';
import { act } from '../../terminal/act';
import { bad, type Block, good, type Sheet, tableOf } from '../../../model/text/sheet';
import { bytesText, countOf, quoted } from '../../../model/text/words';
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
          if (output.format !== 'ndjson') output.show(verified, () => verifiedSheet(verified));
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

/** Snapshots, one per row, then each altered or missing file. */
const verifiedSheet = (verified: readonly VerifiedSnapshot[]): Sheet => [
  tableOf(
    verified,
    [
      ['Snapshot', ({ id }) => id],
      ['Files', ({ files }) => files],
      ['Read', ({ bytes }) => bytesText(bytes)],
      [
        'Result',
        ({ problems }) => (problems.length === 0 ? good('ok') : bad(countOf(problems.length, 'problem'))),
      ],
    ],
    { empty: 'No snapshots.' },
  ),
  ...verified.flatMap(({ id, problems }) =>
    problems.map(({ file, problem, costs = [] }): Block => ({
      title: bad(id),
      facts: [['file', file], ['problem', problem], ...costs.flatMap(lossFacts)],
    })),
  ),
];

type Lost = NonNullable<VerifiedSnapshot['problems'][number]['costs']>[number];

/** The items a snapshot loses with a package; the first ones by name. */
function lossFacts({ id, items, why }: Lost): [string, string][] {
  const rest = items.length - NAMED_MAX;
  return [
    ['lost', `${why === undefined ? countOf(items.length, 'item') : `unknown items (${why})`} of ${id}`],
    ...items
      .slice(0, NAMED_MAX)
      .map(({ itemId, title }): [string, string] => ['', `${itemId} ${quoted(title)}`]),
    ...(rest > 0 ? [['', `and ${rest} more; list all with -o json`] as [string, string]] : []),
  ];
}
