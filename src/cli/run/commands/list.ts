import { Command, Option } from '@commander-js/extra-typings';
import { runStatuses } from '../../../model/run/phase';
import { act } from '../../terminal/act';
import { countArgument, momentArgument } from '../../terminal/arguments';
import { again } from '../../terminal/typed-options';
import { examples } from '../../terminal/help';
import { runTable } from '../../../service/run/run-sheet';

/** Runs per page. */
const PAGE = 50;

/** `portolan run list`: runs in Temporal and in the store's records. */
export const runListCommand = () =>
  new Command('list')
    .description('List runs, newest first.')
    .addHelpText(...examples('--route transport --limit 5', '--parked'))
    .option('--kind <kind>', 'Only runs of this kind, such as sync or backup')
    .option('--route <name>', 'Only runs of this route')
    .option('--pipeline <name>', 'Only runs of this pipeline and its groups')
    .option('--schedule <name>', 'Only runs started by this schedule')
    .addOption(new Option('--status <status>', 'Only runs with this status').choices(runStatuses))
    .addOption(new Option('--parked', 'Same as --status parked').conflicts('status'))
    .option('--since <time>', 'Only runs started at TIME or later', momentArgument)
    .option(
      '--limit <count>',
      'Maximum number of runs, plus those started with the last one',
      countArgument,
      PAGE,
    )
    .option('--before <time>', 'Only runs started before TIME (next page)', momentArgument)
    .action(
      act(async ({ portolan, output }, { parked, since, before, limit, ...named }, command) => {
        const status = parked ? 'parked' : named.status;
        const from = isoTime(since);
        const filter = { ...named, status, from, until: isoTime(before), limit };
        const { runs, notes = [], next, unread } = await portolan.listRuns(filter);
        for (const note of notes) output.note(`note  ${note}`);
        const empty = status
          ? `No runs with status ${status}.`
          : 'No runs yet. Start one with: portolan sync ROUTE';
        output.showList(runs, () => [runTable(runs, { empty, whole: true })]);
        if (next === undefined) return;
        const more = again(command, { before: isoTime(Number(next)) });
        output.note(`note  ${unread ? 'older records were not read' : 'more'}: ${more}`);
      }),
    );

const isoTime = (at: number | undefined): string | undefined =>
  at === undefined ? undefined : new Date(at).toISOString();
