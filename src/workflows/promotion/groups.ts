import type { GroupImport, GroupUndo } from '../../model/release/promotion-input';
import type { ErrorRecord } from '../../model/run/run';
import { countOf, listFirst } from '../../model/text/words';
import { openCount } from '../../model/transfer/ledger-lists';
import { type ChildEnd, eachChild, runChild } from '../run/child-runs';
import { refusal } from '../run/failure';
import type { Phase, PhaseEnd } from '../run/phase';
import type { PromotionRun } from './promotion-run';
import { awaitStageWindow } from './stage';

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
    { ...which, number: ++run.own.parts },
    { name, does, summary: `${does} ${name}: ${route.name}/${stage}` },
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
  const lost = openCount(items);
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
  run.work.isOnTarget = true;
}

/** Imports each group in a child run, as planned and approved. */
export const importGroups: Phase<PromotionRun> = {
  name: 'import',
  resumesWith: () => 'plan',
  async run(run) {
    // Nothing is imported without an approval.
    run.need('approved');
    const isDone = (index: number): boolean => run.own.groups[index]?.stands === 'imported';
    const indices = [...run.input.groups.keys()].filter((index) => !isDone(index));
    const failure = await eachChild(run, indices, importConcurrency(run), async (index) => {
      await awaitStageWindow(run, 'import');
      return await importGroup(run, index);
    });
    if (failure) return afterFailure(run, failure);
    const items = run.children
      .filter(({ does }) => does === 'import')
      .reduce((sum, { items: some }) => sum + some, 0);
    return { detail: `${countOf(run.input.groups.length, 'group')}, ${countOf(items, 'item')}` };
  },
};

/** Decides how a promotion continues after a failure. Throws if a person must decide. */
export function afterFailure(run: PromotionRun, failure: ErrorRecord): PhaseEnd {
  const { input } = run;
  const isUndone = run.isWritten && input.onFailure === 'rollback' && failure.code !== 'CANCELLED';
  const { planReading = 0 } = run.facts;
  if (failure.code === 'PLAN_CHANGED' && !isUndone && planReading < PLANS_MAX) {
    run.warn(`${failure.message}; planning everything again`);
    run.learn({ approved: undefined });
    return { status: 'skipped', detail: failure.message, then: 'plan' };
  }
  if (!run.isWritten || run.scope.consideredCancelled) return { error: failure, status: 'failed' };
  if (isUndone) {
    run.own.failure = failure;
    run.warn(`${failure.message}; rolling the stage back (onFailure: rollback)`);
    return { status: 'failed', detail: failure.message, then: 'rollback' };
  }
  throw refusal(failure.code, failure.message, failure.hint);
}

/** A stage that changes this often is not stable enough for a promotion. */
const PLANS_MAX = 10;

/** Imports one group. @returns why the promotion cannot continue */
async function importGroup(run: PromotionRun, index: number): Promise<ErrorRecord | undefined> {
  const { name = '' } = run.input.groups[index] ?? {};
  const plan = run.own.groups[index]?.planned?.sha256 ?? '';
  run.work.isOnTarget = true;
  const { runId, state, status, error } = await runGroup(run, 'import', { index, plan });
  const wrote = state?.target !== 'untouched';
  const isWhole = !error && status !== 'partial';
  if (wrote) run.show({ target: 'changed' });
  if (wrote || isWhole) {
    const stands = isWhole ? 'imported' : 'unclear';
    run.noteGroup(index, { runId, stands, isWritten: wrote, safeguard: state?.safeguard?.id });
  }
  if (isWhole) return undefined;
  if (error) return { ...error, message: `group "${name}": ${error.message}` };
  const { findings = 0 } = state.verification ?? {};
  return {
    origin: 'target',
    kind: 'permanent',
    code: 'PROMOTION_FAILED',
    message: `group "${name}" on the stage differs from the release: ${openCount(state.items)} of its items not imported, ${countOf(findings, 'finding')} (${runId})`,
    hint: `See them: portolan run show ${runId}`,
  };
}
