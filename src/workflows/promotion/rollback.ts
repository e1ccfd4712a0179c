import { groupRollback, portalPart } from '../../model/release/promotion-input';
import { refusal } from '../run/failure';
import { reading } from '../run/calls';
import { phase, type PhaseEnd } from '../run/phase';
import { commitStage } from './commit';
import { eachGroup, runPart } from './groups';
import { runChangePart } from './portal-part';
import type { PromotionRun } from './promotion-run';

/** Brings the stage back to what it was, the last group first: what was overwritten, created, set and filed. */
export const rollBack = phase({
  name: 'rollback',
  async run(run: PromotionRun): Promise<PhaseEnd> {
    const { input } = run;
    for (const each of ['categories', 'settings'] as const) await undoPortal(run, each);
    const indices = [...input.groups.keys()]
      .filter((index) => run.groups[index]?.isWritten && run.groups[index]?.stands !== 'back')
      .reverse();
    let left = 0;
    await eachGroup(run, { phase: 'rollback', indices, atOnce: 1 }, async (index) => {
      left += await undoGroup(run, index);
      return true;
    });
    await commitStage(run, 'rolled-back', left > 0 ? 'failed' : 'verified');
    const detail = `${indices.length} groups are back${left > 0 ? `; ${left} items are not, as the warnings say` : ''}`;
    if (!run.failure) return { detail };
    const { message } = run.failure;
    return {
      detail,
      error: {
        ...run.failure,
        message: `${message}; the stage was brought back to what it was`,
        hint: 'Mend what failed, make a new release, and promote that.',
      },
    };
  },
});

/** Undoes the import of a group. @returns how many items are not as they were */
async function undoGroup(run: PromotionRun, index: number): Promise<number> {
  const { runId: undone = '', safeguard } = run.groups[index] ?? {};
  const { name = '' } = run.input.groups[index] ?? {};
  const part = groupRollback(run.input, { index, number: run.nextPart() }, { undone, snapshotId: safeguard });
  run.show({ target: 'changed' });
  const { state, error } = await runPart(run, 'rollback', part, { index, does: 'undo' });
  if (error && error.code !== 'NOTHING_TO_ROLL_BACK')
    throw refusal(error.code, `group "${name}" could not be brought back: ${error.message}`, error.hint);
  const there = state?.created?.there ?? [];
  for (const { title, itemId, reason } of there.slice(0, NAMED_MAX))
    run.warn(`group "${name}": ${title} (${itemId}) is still there: ${reason}`);
  const findings = state?.verification?.findings ?? 0;
  if (findings > 0) run.warn(`group "${name}": ${findings} findings; portolan run show ${part.runId}`);
  run.noteGroup(index, { stands: 'back' });
  return there.length + findings;
}

/** Items that are named one by one. */
const NAMED_MAX = 10;

async function undoPortal(run: PromotionRun, each: 'settings' | 'categories'): Promise<void> {
  const { input, portal } = run;
  const undone = portal[each];
  if (undone === undefined) return;
  const kind = each === 'settings' ? 'settings' : 'category-schema';
  const part = portalPart(input, { kind, number: run.nextPart() });
  const desired = await reading(`${each} before the promotion`).desireAsBefore({
    runId: input.runId,
    part: part.runId,
    undone,
  });
  for (const warning of desired.warnings) run.warn(warning);
  if (!desired.isSame) {
    const { error } = await runChangePart(run, kind, { ...part, ...desired.change });
    if (error) throw refusal(error.code, `${each} could not be brought back: ${error.message}`, error.hint);
  }
  run.notePortal({ [each]: undefined });
}
