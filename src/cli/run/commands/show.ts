import { Command } from '@commander-js/extra-typings';
import { pageOfRun } from '../../../config/page-address';
import { exitStatus } from '../../../model/errors/error-codes';
import { PortolanError } from '../../../model/errors/errors';
import { knownPage } from '../../terminal/known-page';
import { openPage } from '../../terminal/open-page';
import { perform } from '../../terminal/globals';
import { planTable } from '../render/plan';
import { runShow } from '../render/run-show';
import { rowsNotShown } from '../../../service/run/read-run';
import { withReadablePortolan } from '../../terminal/with-portolan';

/** `portolan run show`: everything that is known of a run, also where no worker is up. */
export const runShowCommand = () =>
  new Command('show')
    .description('Shows everything that is known of a run; also while no worker is up.')
    .argument('<run>', 'id, an end of it, or latest')
    .option('--plan', 'every row of its plan')
    .option('--open', "opens its page as well; where none is known, that in Temporal's Web UI")
    .option('--ui', "opens its page in Temporal's Web UI as well")
    .action((text, options, command) =>
      perform(command, (output, globals) =>
        withReadablePortolan(globals, async (portolan) => {
          const view = await portolan.seekRun(text);
          const { runId } = view.record;
          const page = pageOfRun({ url: await knownPage(globals) }, runId);
          if (options.open) await openPage(page ?? view.ui ?? noPage(runId));
          if (options.ui) await openPage(view.ui ?? noPage(runId));
          const { value: plan, why } = await portolan.readPlan(view.record);
          if (!options.plan) {
            const notes = why === undefined ? view.notes : [...view.notes, rowsNotShown(why)];
            output.show(view.record, (style) => runShow({ ...view, notes, plan, page }, style));
            if (output.format !== 'table') for (const note of notes) output.note(`note  ${note}`);
            return exitStatus.done;
          }
          if (plan === undefined) throw why ?? noPlan(view.record.runId);
          output.show(plan, (style) => planTable(plan, style));
          return exitStatus.done;
        }),
      ),
    );

const noPlan = (runId: string): PortolanError =>
  new PortolanError('NOT_FOUND', `${runId} has no plan in the store.`, {
    hint: 'A plan is made in the phase "preview"; rows are read from the store of portolan.yaml.',
  });

function noPage(runId: string): never {
  throw new PortolanError(
    'USAGE',
    `Where the Web UI of this Temporal server is is not known here, nor the page of ${runId}.`,
    {
      hint: 'The page of portolan up is known, and that of serve.url of portolan.yaml. The Web UI is known of a server on this machine that answers and still holds the run.',
    },
  );
}
