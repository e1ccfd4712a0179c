import { portalPart } from '../../model/release/promotion-input';
import type { ErrorRecord } from '../../model/run/run';
import { reading } from '../run/activity-options';
import { phase, type PhaseEnd } from '../run/phase';
import { afterFailure } from './imports';
import { runChangePart } from './portal-part';
import { awaitStageWindow } from './stage-window';
import type { PromotionRun } from './promotion-run';

const kinds = ['settings', 'categories'] as const;

/** Applies the release's settings and categories, as far as the stage includes them. */
export const changePortal = phase({
  name: 'portal',
  async run(run: PromotionRun): Promise<PhaseEnd> {
    const { input } = run;
    const done: string[] = [];
    for (const each of kinds) {
      if (!input[each] || run.own.portal[each]?.isWhole) continue;
      const failure = await change(run, each);
      if (failure) return afterFailure(run, failure);
      done.push(each);
    }
    return done.length > 0 ? { detail: done.join(', ') } : { status: 'skipped', detail: 'nothing changes' };
  },
});

async function change(run: PromotionRun, each: (typeof kinds)[number]): Promise<ErrorRecord | undefined> {
  const { input } = run;
  const { portal } = input.route.target;
  const kind = each === 'settings' ? 'settings' : 'category-schema';
  const part = portalPart(input, { kind, number: run.nextPart() });
  const desired = await reading(`${each} of ${portal}`, portal).desireOfRelease({
    runId: input.runId,
    part: part.runId,
    plan: run.facts.plan?.sha256 ?? '',
  });
  for (const warning of desired.warnings) run.warn(warning);
  if (desired.isSame) {
    const half = run.own.portal[each];
    if (half) run.notePortal({ [each]: { ...half, isWhole: true } });
    return undefined;
  }
  // The portal may have changed while waiting.
  if (await awaitStageWindow(run, 'portal')) return await change(run, each);
  const { state, error } = await runChangePart(run, kind, { ...part, ...desired.change });
  if (state?.target !== 'untouched') {
    run.show({ target: 'changed' });
    // The first change saved the values from before the promotion.
    const { runId = part.runId } = run.own.portal[each] ?? {};
    run.notePortal({ [each]: { runId, isWhole: error === undefined } });
  }
  // The window closed before anything was written.
  if (error?.code === 'WINDOW_CLOSED' && run.facts.ruling?.hasWindows) return await change(run, each);
  return error && { ...error, message: `${each} of ${portal}: ${error.message}` };
}
