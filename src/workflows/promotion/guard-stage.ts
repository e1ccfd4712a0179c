import { reading } from '../run/calls';
import { phase, type PhaseEnd } from '../run/phase';
import { stageGate } from '../../model/release/promotion-input';
import type { PromotionRun } from './promotion-run';

/** Waits until it is the only one at the stage, and sees whether the release may come there now. */
export const guardStage = phase({
  name: 'guard',
  gives: ['ruling'],
  async run(run: PromotionRun, _found, give): Promise<PhaseEnd> {
    const { input } = run;
    await run.gates.enter({ ...input.route.target, ...stageGate(input) }, 'import');
    if (run.facts.ruling) return { detail: 'as it was found' };
    const { ruling, detail, warnings } = await reading(`stage ${input.stage}`).openPromotion({
      runId: input.runId,
    });
    give({ ruling });
    for (const warning of warnings) run.warn(warning);
    return { detail };
  },
});
