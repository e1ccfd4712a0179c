import { sleep } from '@temporalio/workflow';
import { reading } from '../run/activity-options';
import { phase, type PhaseEnd } from '../run/phase';
import { stageQueue } from '../../model/release/promotion-input';
import type { PromotionRun } from './promotion-run';

/** Waits until no other promotion holds the stage, then checks that the release is eligible. */
export const guardStage = phase({
  name: 'guard',
  gives: ['ruling'],
  async run(run: PromotionRun, _found, give): Promise<PhaseEnd> {
    const { input } = run;
    await awaitSoak(run);
    await run.portalQueues.enter({ ...input.route.target, ...stageQueue(input) }, 'import');
    const { ruling, detail, warnings } = await reading(
      `stage ${input.stage}`,
      input.route.target.portal,
    ).openPromotion({
      runId: input.runId,
    });
    give({ ruling });
    for (const warning of warnings) run.warn(warning);
    return { detail };
  },
});

/** With --at-soak, waits for the release's soak time in the previous stage. Holds no slot meanwhile. */
async function awaitSoak(run: PromotionRun): Promise<void> {
  const { runId, stage, atSoak } = run.input;
  if (!atSoak) return;
  const ask = () => reading(`soak time of ${stage}`).askSoak({ runId });
  let soak = await ask();
  if (!soak) return;
  try {
    for (; soak; soak = await ask()) {
      const { until, why, inMs } = soak;
      await run.awaits('guard', { until, why });
      await sleep(inMs, { summary: `until ${until}: ${why}` });
    }
  } finally {
    await run.awaits('guard', undefined);
  }
}
