import { rejectRun, requirePlan } from '../../../service/run/answers';
import { answerWords, answering } from '../answer-run';
import { Command } from '@commander-js/extra-typings';

/** `portolan run reject`: says no to the plan that waits, which ends the run. */
export const runRejectCommand = () =>
  new Command('reject')
    .description('Rejects the plan that a run waits with. The run ends, and the target stays as it is.')
    .argument('<run>', 'id, an end of it, or latest')
    .option('--reason <text>', 'kept in the record')
    .action((text, { reason }, command) =>
      answering(command, text, async (run) => {
        requirePlan(run.view);
        const hash = run.view.record.plan?.hash;
        const delivery = await rejectRun(run.sources, run.runId, hash, { reason });
        return {
          shown: { rejected: hash, taken: delivery.taken },
          words: await answerWords(run, delivery, () => `rejected: plan ${hash}`),
          next: 'show',
        };
      }),
    );
