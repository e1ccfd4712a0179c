import { reading } from '../run/activity-options';
import { phase, type PhaseEnd } from '../run/phase';
import type { DueRun } from './due-run';

/** Chooses the release to promote. */
export const choose = phase({
  name: 'guard',
  async run(run: DueRun): Promise<PhaseEnd> {
    const { runId, stage } = run.input;
    const { promotion, detail } = await reading(`releases eligible for ${stage}`).choosePromotion({ runId });
    if (!promotion) return { detail, then: 'end' };
    run.own.chosen = promotion;
    run.show({ release: promotion.release });
    return { detail };
  },
});
