import type { Activities } from '../../activities/activities';
import type { ErrorRecord } from '../../model/run/run';
import { partRunId } from '../../model/run/run-id';
import { reading } from '../run/activity-options';
import { refusal } from '../run/failure';
import { type ChildEnd, runChild } from '../run/child-runs';
import type { Phase } from '../run/phase';
import { awaitStageWindow } from './stage';
import type { PromotionRun } from './promotion-run';
import { afterFailure, markTargetChanged } from './groups';

const kinds = { settings: 'settings', categories: 'category-schema' } as const;
type Change = keyof typeof kinds;

/** Applies the release's settings and categories, as far as the stage includes them. */
export const changePortal: Phase<PromotionRun> = {
  name: 'portal',
  async run(run) {
    const { input } = run;
    const done: Change[] = [];
    for (const each of ['settings', 'categories'] as const) {
      if (!input[each] || run.own.portal[each]?.isWhole) continue;
      const failure = await change(run, each);
      if (failure) return afterFailure(run, failure);
      done.push(each);
    }
    return done.length > 0 ? { detail: done.join(', ') } : { status: 'skipped', detail: 'nothing changes' };
  },
};

async function change(run: PromotionRun, each: Change): Promise<ErrorRecord | undefined> {
  const { input, facts } = run;
  const { portal } = input.route.target;
  const { runId, end } = await changeTo(run, each, 'import', (part) =>
    reading(each, portal).desireOfRelease({
      runId: input.runId,
      part,
      plan: facts.plan?.sha256 ?? '',
    }),
  );
  const half = run.own.portal[each];
  if (!end) {
    if (half) run.notePortal({ [each]: { ...half, isWhole: true } });
    return undefined;
  }
  const { state, error } = end;
  // The first change saved the values from before the promotion.
  if (state?.target !== 'untouched')
    run.notePortal({ [each]: { runId: half?.runId ?? runId, isWhole: error === undefined } });
  return error && { ...error, message: `${each} of ${portal}: ${error.message}` };
}

/** Restores the settings or categories from before the promotion, if it has changed them. Notes if some are left. */
export async function undoPortal(run: PromotionRun, each: Change): Promise<void> {
  const { input, own } = run;
  const undone = own.portal[each]?.runId;
  if (undone === undefined) return;
  let isLeft = false;
  const { end: { error } = {} } = await changeTo(run, each, 'undo', async (part) => {
    const desired = await reading(`${each} before the promotion`, input.route.target.portal).desireAsBefore({
      runId: input.runId,
      part,
      undone,
    });
    isLeft = desired.isLeft;
    return desired;
  });
  if (error) throw refusal(error.code, `${each} could not be rolled back: ${error.message}`, error.hint);
  if (isLeft) own.left += 1;
  run.notePortal({ [each]: undefined });
}

/**
 * Changes the portal in a child run, within its windows.
 *
 * @param desire reads what the child run is to change
 * @returns the last child run; without an `end`, nothing differed
 */
async function changeTo(
  run: PromotionRun,
  each: Change,
  does: 'import' | 'undo',
  desire: (part: string) => ReturnType<Activities['desireOfRelease']>,
): Promise<{ readonly runId: string; readonly end?: ChildEnd }> {
  const kind = kinds[each];
  const number = ++run.own.parts;
  const runId = partRunId(run.input.runId, number, kind);
  const desired = await desire(runId);
  for (const warning of desired.warnings) run.warn(warning);
  if (!desired.change) return { runId };
  // The portal may have changed while waiting.
  if (await awaitStageWindow(run, does === 'undo' ? 'rollback' : 'portal'))
    return await changeTo(run, each, does, desire);
  const summary = `promotion: ${kind} of ${run.input.route.target.portal}`;
  const part = { kind, number, change: desired.change };
  const end = await runChild(run, part, { name: kind, does, summary });
  const { state, error } = end;
  if (state?.target !== 'untouched') markTargetChanged(run);
  else if (error?.code === 'WINDOW_CLOSED' && run.facts.ruling?.hasWindows)
    return await changeTo(run, each, does, desire);
  return { runId, end };
}
