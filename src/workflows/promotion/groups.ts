import type { GroupImport, GroupUndo } from '../../model/release/promotion-input';
import { countOf, listFirst } from '../../model/text/words';
import { refusal } from '../run/failure';
import { type ChildEnd, runChild } from '../run/child-runs';
import type { PromotionRun } from './promotion-run';

/** Lines of one kind that a promotion warns of. */
export const WARNINGS_SHOWN = 10;

/** Runs a child run for a group to its end, and shows it. */
export async function runGroup(
  run: PromotionRun,
  does: 'plan' | 'import' | 'undo',
  which: Omit<GroupImport, 'number'> | Omit<GroupUndo, 'number'>,
): Promise<ChildEnd> {
  const { groups, route, stage } = run.input;
  const { name = '' } = groups[which.index] ?? {};
  return await runChild(
    run,
    { ...which, number: run.nextPart() },
    {
      name,
      does,
      summary: `${does} ${name}: ${route.name}/${stage}`,
    },
  );
}

/** Concurrent imports of the stage's portal. */
export const importConcurrency = ({ input }: PromotionRun): number =>
  input.route.target.concurrency?.imports ?? 1;

/** Rolls back the import of a group. @returns how many items could not be rolled back */
export async function undoGroup(run: PromotionRun, index: number): Promise<number> {
  const { runId: undone = '', safeguard } = run.own.groups[index] ?? {};
  const { name = '' } = run.input.groups[index] ?? {};
  const { runId, state, status, error } = await runGroup(run, 'undo', {
    index,
    undone,
    snapshotId: safeguard,
  });
  if (state?.target !== 'untouched') markTargetChanged(run);
  if (error && error.code !== 'NOTHING_TO_ROLL_BACK') {
    if (state?.target !== 'untouched') run.noteGroup(index, { stands: 'unclear' });
    if (run.scope.consideredCancelled) throw refusal('CANCELLED', 'the rollback was cancelled');
    throw refusal(error.code, `group "${name}" could not be rolled back: ${error.message}`, error.hint);
  }
  const { created, items, plan, verification } = state ?? {};
  const show = `portolan run show ${runId}`;
  const there = created?.there ?? [];
  const lines = there.map(
    ({ title, itemId, reason }) => `group "${name}": ${title} (${itemId}) still exists: ${reason}`,
  );
  for (const each of listFirst(lines, WARNINGS_SHOWN)) run.warn(each);
  const findings = verification?.findings ?? 0;
  if (findings > 0) run.warn(`group "${name}": ${countOf(findings, 'finding')}; ${show}`);
  const { blocked = 0, failed = 0, notImported = 0, unaccounted = 0 } = items ?? {};
  const lost = blocked + failed + notImported + unaccounted;
  if (lost > 0) run.warn(`group "${name}": ${countOf(lost, 'item')} could not be rolled back: ${show}`);
  // Items edited before the approval are already listed as kept.
  const kept = plan?.keep ?? 0;
  if (kept > 0)
    run.warn(
      `group "${name}": ${countOf(kept, 'item')} edited since the promotion, left as they are: ${show} --plan`,
    );
  const left = (created?.whole?.there ?? there.length) + findings + lost + kept;
  const isUntold = left === 0 && status === 'partial';
  if (isUntold) run.warn(`group "${name}" may not be fully rolled back: ${show}`);
  return isUntold ? 1 : left;
}

/** From here on the promotion parks if it cannot continue. */
export function markTargetChanged(run: PromotionRun): void {
  run.show({ target: 'changed' });
  run.portalWork.touchesTarget();
}
