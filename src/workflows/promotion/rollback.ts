import { groupRollback, portalPart } from '../../model/release/promotion-input';
import { refusal } from '../run/failure';
import { reading } from '../run/calls';
import { phase, type PhaseEnd } from '../run/phase';
import { commitStage } from './commit';
import { eachGroup, runPart } from './groups';
import { nameSome } from './plans';
import { runChangePart } from './portal-part';
import { awaitStageWindow } from './stage-window';
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
      await awaitStageWindow(run, 'rollback');
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
  const { state, error } = await runPart(run, 'rollback', part, { index, does: 'undo' });
  if (state?.target !== 'untouched') touched(run);
  if (error && error.code !== 'NOTHING_TO_ROLL_BACK') {
    if (state?.target !== 'untouched') run.noteGroup(index, { stands: 'unclear' });
    if (run.scope.consideredCancelled) throw refusal('CANCELLED', 'the rollback was cancelled');
    throw refusal(error.code, `group "${name}" could not be brought back: ${error.message}`, error.hint);
  }
  const { created, items, plan, verification } = state ?? {};
  const show = `portolan run show ${part.runId}`;
  const there = created?.there ?? [];
  nameSome(
    there.map(
      ({ title, itemId, reason }) => `group "${name}": ${title} (${itemId}) is still there: ${reason}`,
    ),
    (each) => run.warn(each),
  );
  const findings = verification?.findings ?? 0;
  if (findings > 0) run.warn(`group "${name}": ${findings} findings; ${show}`);
  const { blocked = 0, failed = 0, unaccounted = 0 } = items ?? {};
  const lost = blocked + failed + unaccounted;
  if (lost > 0) run.warn(`group "${name}": ${lost} items could not be brought back: ${show}`);
  // Those that were edited before somebody said yes are named already.
  const kept = plan?.keep ?? 0;
  if (kept > 0) run.warn(`group "${name}": ${kept} items stay that were changed since: ${show} --plan`);
  run.noteGroup(index, { stands: 'back' });
  return (created?.whole?.there ?? there.length) + findings + lost + kept;
}

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
    // By now it may have become another one.
    if (await awaitStageWindow(run, 'rollback')) return await undoPortal(run, each);
    const { state, error } = await runChangePart(run, kind, { ...part, ...desired.change });
    if (state?.target !== 'untouched') touched(run);
    // The window closed before anything was written.
    if (error?.code === 'WINDOW_CLOSED' && run.facts.ruling?.hasWindows) return await undoPortal(run, each);
    if (error) throw refusal(error.code, `${each} could not be brought back: ${error.message}`, error.hint);
  }
  run.notePortal({ [each]: undefined });
}

/** From here on a person decides where it cannot go on. */
function touched(run: PromotionRun): void {
  run.show({ target: 'changed' });
  run.traces.touchesTarget();
}
