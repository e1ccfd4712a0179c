import { portalPart } from '../../model/release/promotion-input';
import { countOf } from '../../model/text/words';
import { refusal } from '../run/failure';
import { reading } from '../run/activity-options';
import { phase, type PhaseEnd } from '../run/phase';
import { commitStage } from './commit';
import { eachGroup } from './groups';
import { runChangePart } from './portal-part';
import { awaitStageWindow } from './stage-window';
import type { PromotionRun } from './promotion-run';
import { touched, undoGroup } from './undo-group';

/** Rolls the stage back, last group first: overwritten and created items, settings and categories. */
export const rollBack = phase({
  name: 'rollback',
  async run(run: PromotionRun): Promise<PhaseEnd> {
    const { input } = run;
    // If the rollback fails halfway, this is the state of the stage.
    if (input.undoes === undefined) await commitStage(run, 'promoted', 'failed');
    for (const each of ['categories', 'settings'] as const) await undoPortal(run, each);
    const indices = [...input.groups.keys()]
      .filter((index) => run.own.groups[index]?.isWritten && run.own.groups[index]?.stands !== 'back')
      .reverse();
    await eachGroup(run, { indices, concurrency: 1 }, async (index) => {
      await awaitStageWindow(run, 'rollback');
      run.own.left += await undoGroup(run, index);
      run.noteGroup(index, { stands: 'back' });
      return true;
    });
    const { left } = run.own;
    await commitStage(run, 'rolled-back', left > 0 ? 'failed' : 'verified');
    const back = Object.values(run.own.groups).filter(({ stands }) => stands === 'back').length;
    const detail = `${countOf(back, 'group')} rolled back${left > 0 ? `; ${countOf(left, 'item was', 'items were')} not, see the warnings` : ''}`;
    if (!run.own.failure) return { detail };
    const { message } = run.own.failure;
    return {
      detail,
      error: {
        ...run.own.failure,
        message: `${message}; the stage was rolled back`,
        hint: 'Fix the cause, create a new release, and promote that one.',
      },
    };
  },
});

async function undoPortal(run: PromotionRun, each: 'settings' | 'categories'): Promise<void> {
  const { input } = run;
  const undone = run.own.portal[each]?.runId;
  if (undone === undefined) return;
  const kind = each === 'settings' ? 'settings' : 'category-schema';
  const part = portalPart(input, { kind, number: run.nextPart() });
  const desired = await reading(`${each} before the promotion`, input.route.target.portal).desireAsBefore({
    runId: input.runId,
    part: part.runId,
    undone,
  });
  for (const warning of desired.warnings) run.warn(warning);
  if (!desired.isSame) {
    // The portal may have changed while waiting.
    if (await awaitStageWindow(run, 'rollback')) return await undoPortal(run, each);
    const { state, error } = await runChangePart(run, kind, { ...part, ...desired.change });
    if (state?.target !== 'untouched') touched(run);
    // The window closed before anything was written.
    if (error?.code === 'WINDOW_CLOSED' && run.facts.ruling?.hasWindows) return await undoPortal(run, each);
    if (error) throw refusal(error.code, `${each} could not be rolled back: ${error.message}`, error.hint);
  }
  run.notePortal({ [each]: undefined });
}
