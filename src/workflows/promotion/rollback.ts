import { countOf } from '../../model/text/words';
import { eachChild } from '../run/child-runs';
import type { Phase } from '../run/phase';
import { commitStage, awaitStageWindow } from './stage';
import { undoPortal } from './portal';
import type { PromotionRun } from './promotion-run';
import { undoGroup } from './groups';

/** Rolls the stage back, last group first: overwritten and created items, settings and categories. */
export const rollBack: Phase<PromotionRun> = {
  name: 'rollback',
  async run(run) {
    const { input } = run;
    // If the rollback fails halfway, this is the state of the stage.
    if (input.undoes === undefined) await commitStage(run, 'promoted', 'failed');
    for (const each of ['categories', 'settings'] as const) await undoPortal(run, each);
    const indices = [...input.groups.keys()]
      .filter((index) => run.own.groups[index]?.isWritten && run.own.groups[index]?.stands !== 'back')
      .reverse();
    await eachChild(run, indices, 1, async (index) => {
      await awaitStageWindow(run, 'rollback');
      run.own.left += await undoGroup(run, index);
      run.noteGroup(index, { stands: 'back' });
    });
    const { left } = run.own;
    await commitStage(run, 'rolled-back', left > 0 ? 'failed' : 'verified');
    const back = Object.values(run.own.groups).filter(({ stands }) => stands === 'back').length;
    const detail = `${countOf(back, 'group')} rolled back${left > 0 ? `; ${countOf(left, 'item or document was', 'items or documents were')} not, see the warnings` : ''}`;
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
};
