import { Command, type CommandUnknownOpts } from '@commander-js/extra-typings';
import { pageOfRun } from '../../../config/page-address';
import { exitStatus } from '../../../model/errors/error-codes';
import { PortolanError } from '../../../model/errors/errors';
import { oneLine } from '../../../model/text/plain-text';
import { timeWords } from '../../../model/text/words';
import { act } from '../../terminal/act';
import { knownPage, knownTemporalPage, openPage } from '../../terminal/web-page';
import { perform } from '../../terminal/globals';
import type { Output } from '../../terminal/output';
import type { RunView } from '../../../contract/runs';
import { notice, type Sheet, strong } from '../../../model/text/sheet';
import type { Plan } from '../../../model/transfer/plan';
import { checkSheet, ledgerSheet, verificationSheet } from '../../../service/run/outcome-sheet';
import { phaseTable } from '../../../service/run/phases-sheet';
import { planSheet, planTable } from '../../../service/run/plan-sheet';
import {
  actionTable,
  changeBlock,
  childTable,
  nextFacts,
  remarkBlock,
  runFacts,
  runState,
} from '../../../service/run/run-sheet';
import { rowsNotShown, runTitle } from '../../../service/run/run-words';
import { waysBlock, whyBlock } from '../../../service/run/why-sheet';
import { changesOption, htmlOption, shownChanges, writeChanges } from '../write-changes';
import { readRows } from '../read-rows';
import { argumentHelp } from '../../terminal/arguments';
import { examples } from '../../terminal/help';

/** `portolan run show`: everything known about a run, even when no worker is running. */
export const runShowCommand = () =>
  new Command('show')
    .description('Show everything known about a run, even when no worker is running.')
    .addHelpText(...examples('latest', 'k7q2 --plan'))
    .argument('[run]', argumentHelp.run)
    .option('--plan', 'List every row of the plan')
    .addOption(changesOption())
    .addOption(htmlOption())
    .option('--open', "Also open the run in the web UI, else in Temporal's Web UI")
    .option('--ui', "Also open it in Temporal's Web UI")
    .option('--bundle <file>', 'Show a support bundle, offline')
    .action((run, options, command) => {
      const { bundle, changes, html } = options;
      if (bundle === undefined) {
        if (run === undefined) throw noRun();
        return showRun(run, options, command);
      }
      return perform(command, async (output) => {
        if (run !== undefined || options.open || options.ui || changes || html !== undefined)
          throw fileAlone();
        return await showBundle(bundle, output, options);
      });
    });

interface ShowOptions {
  readonly plan?: true | undefined;
  readonly changes?: true | undefined;
  readonly html?: string | undefined;
  readonly open?: true | undefined;
  readonly ui?: true | undefined;
}

const showRun = act(
  async ({ portolan, output, globals }, run: string, options: ShowOptions, _command: CommandUnknownOpts) => {
    const view = await portolan.viewRun({ run });
    const { record } = view;
    const { runId } = record;
    const page = pageOfRun({ url: await knownPage(globals) }, runId);
    const ui = await knownTemporalPage(globals, record);
    if (options.open) await openPage(page ?? ui ?? noPage(runId));
    if (options.ui) await openPage(ui ?? noPage(runId));
    const { rows: plan, why } = await readRows(portolan, record);
    if (options.plan ?? options.changes ?? options.html) {
      if (plan === undefined) throw why ?? noPlan(runId);
      if (options.html !== undefined) {
        const facts = [['plan', plan.hash] as const, ['read', plan.readAt] as const];
        await writeChanges(options.html, { title: `plan of ${runId}`, facts }, plan.rows);
      }
      output.show(plan, () => (options.plan ? [planTable(plan)] : shownChanges(plan.rows)));
      return;
    }
    const notes = why === undefined ? view.notes : [...view.notes, rowsNotShown(why)];
    output.show(record, () => showSheet({ ...view, notes, plan, page, ui }));
    if (output.format !== 'table') for (const note of notes) output.note(`note  ${note}`);
  },
);

/** A run from a bundle, using the file alone. */
async function showBundle(
  file: string,
  output: Output,
  options: { readonly plan?: true | undefined },
): Promise<number> {
  const { openBundle, refused } = await import('../../../service/support/bundle-file.js');
  const { view, plan, madeAt, versions } = await openBundle(file);
  if (options.plan && plan === undefined) throw noPlan(view.record.runId);
  try {
    if (plan && options.plan) output.show(plan, () => [planTable(plan)]);
    else output.show(view.record, () => showSheet({ ...view, plan }), Date.parse(madeAt));
  } catch {
    // Invalid dates and the like, which no bundle written by Portolan has.
    throw refused(file, 'is not a readable bundle');
  }
  output.note(
    `note  ${file}, written ${timeWords(madeAt)} by Portolan ${oneLine(versions.portolan)}, is not signed; the commands below work only where the run is`,
  );
  return exitStatus.done;
}

/** A run with what is known on this machine. */
interface ShownRun extends RunView {
  /** Its plan with all rows, if they can be read. */
  readonly plan?: Plan;
  /** Its page in the web UI, if known. */
  readonly page?: string;
  /** Its page in Temporal's Web UI, if `up` runs one here. */
  readonly ui?: string;
}

/** Everything about one run. */
export function showSheet(view: ShownRun): Sheet {
  const { record, notes, plan, page, ui } = view;
  const { status, parked, items, verification, checks, children } = record;
  return [
    {
      title: [{ status, text: status.toUpperCase() }, ' ', strong(record.runId)],
      lines: [runState(view)],
    },
    {
      facts: [
        ['what', runTitle(record)],
        ...runFacts(view),
        ['web', page],
        ...notes.map((note) => ['note', notice(note)] as const),
      ],
    },
    whyBlock(record),
    // The commands come before the plan.
    parked && waysBlock(record, parked),
    phaseTable(view),
    remarkBlock(record),
    childTable(children),
    ...(parked ? [] : planSheet(record, plan?.rows)),
    changeBlock(record),
    ...checkSheet(checks, CHECK_LINES),
    ...ledgerSheet(items),
    ...verificationSheet(verification),
    actionTable(record),
    { facts: [...(parked ? [] : nextFacts(record).filter(([label]) => label !== 'details')), ['ui', ui]] },
  ];
}

/** Last lines shown of each output of a check that failed; the record has the rest. */
const CHECK_LINES = 10;

const noRun = (): PortolanError =>
  new PortolanError('USAGE', "missing required argument 'run'", {
    hint: 'Name a run or a file: portolan run show latest, portolan run show --bundle FILE',
  });

const fileAlone = (): PortolanError =>
  new PortolanError('USAGE', 'A bundle holds one run and no web page; combine --bundle only with --plan.', {
    hint: 'Run: portolan run show --bundle FILE',
  });

const noPlan = (runId: string): PortolanError =>
  new PortolanError('NOT_FOUND', `${oneLine(runId)} has no plan in the store.`, {
    hint: 'A plan is created in the phase "preview"; its rows are read from the store in portolan.yaml.',
  });

function noPage(runId: string): never {
  throw new PortolanError('USAGE', `No address of a web UI is known for ${runId}.`, {
    hint: "Start 'portolan up' here, with --ui for Temporal's Web UI, or set serve.url in portolan.yaml.",
  });
}
