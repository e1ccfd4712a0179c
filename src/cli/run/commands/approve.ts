import { approveRun, requirePlan } from '../../../service/run/answers';
import { answerWords, answering } from '../answer-run';
import { bound } from '../../../model/transfer/plan-hash';
import { Command } from '@commander-js/extra-typings';

/** `portolan run approve`: says yes to exactly one plan. */
export const runApproveCommand = () =>
  new Command('approve')
    .description('Approves the plan that a run waits with. The hash says which plan you saw.')
    .argument('<run>', 'id, an end of it, or latest')
    .requiredOption('--plan <hash>', 'hash of the plan, as run show prints it')
    .option('--reason <text>', 'kept in the record')
    .action((text, { plan: hash, reason }, command) =>
      answering(command, text, async (run) => {
        requirePlan(run.view, hash);
        const delivery = await approveRun(run.sources, run.runId, {
          ...bound(run.view.record.plan, hash),
          reason,
        });
        return {
          shown: { approved: hash, taken: delivery.taken },
          words: await answerWords(run, delivery, () => `approved: plan ${hash}`),
        };
      }),
    );
