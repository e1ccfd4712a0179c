import type { PromotionInput } from '../model/release/promotion-input';
import type { PhaseName } from '../model/run/phase';
import type { RouteChange, ErrorRecord } from '../model/run/run';
import { listFirst, countOf } from '../model/text/words';
import { importGroups, afterFailure, undoGroup, markTargetChanged } from './promotion/groups';
import { approveWhole, planGroups, planWayBack } from './promotion/plans';
import { type PortalProgress, PromotionRun } from './promotion/promotion-run';
import { commit, settleStage, guardStage, commitStage, awaitStageWindow } from './promotion/stage';
import { defineRun } from './run/run-to-end';
import { refuse, refusal } from './run/failure';
import type { AcceptedResume, Kind, Phase } from './run/phase';
import type { CheckResult } from '../model/release/promotion';
import { shortRunId, partRunId } from '../model/run/run-id';
import { checking, reading } from './run/activity-options';
import { eachChild, type ChildEnd, runChild } from './run/child-runs';
import type { Activities } from '../activities/activities';

const documentKinds = { settings: 'settings', categories: 'category-schema' } as const;
type PortalPart = keyof typeof documentKinds;

/** Applies the release's settings and categories, as far as the stage includes them. */
const changePortal: Phase<PromotionRun> = {
  name: 'portal',
  async run(run) {
    const { input } = run;
    const done: PortalPart[] = [];
    for (const each of ['settings', 'categories'] as const) {
      if (!input[each] || run.own.portal[each]?.isWhole) continue;
      const failure = await change(run, each);
      if (failure) return afterFailure(run, failure);
      done.push(each);
    }
    return done.length > 0 ? { detail: done.join(', ') } : { status: 'skipped', detail: 'nothing changes' };
  },
};

async function change(run: PromotionRun, each: PortalPart): Promise<ErrorRecord | undefined> {
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
async function undoPortal(run: PromotionRun, each: PortalPart): Promise<void> {
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
  each: PortalPart,
  does: 'import' | 'undo',
  desire: (part: string) => ReturnType<Activities['desireOfRelease']>,
): Promise<{ readonly runId: string; readonly end?: ChildEnd }> {
  const kind = documentKinds[each];
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

/** Runs the stage's checks one by one: all of them, so that every failure is reported at once. */
const checkStage: Phase<PromotionRun> = {
  name: 'checks',
  async run(run) {
    const { runId, stage } = run.input;
    const due = await reading(`checks of ${stage}`).checksOf({ runId });
    if (due.length === 0) return { status: 'skipped', detail: `${stage} has none` };
    const checks: CheckResult[] = [];
    for (const { name: check, longestMs } of due) {
      checks.push(await checking(`check ${check}`, longestMs).runCheck({ runId, check }));
      run.show({ checks: [...checks] });
      await run.save();
    }
    const failed = checks.filter(({ status }) => status === 'failed');
    if (failed.length > 0) return afterFailure(run, failureOf(run, failed, checks.length));
    return { detail: `${checks.length} passed` };
  },
};

function failureOf(run: PromotionRun, failed: readonly CheckResult[], count: number): ErrorRecord {
  const { runId, stage } = run.input;
  const each = failed.map(({ name, problem = 'failed' }) => `${name} ${problem}`);
  return {
    origin: 'target',
    kind: 'permanent',
    code: 'CHECK_FAILED',
    message: `${failed.length} of ${count} checks of ${stage} failed: ${each.join('; ')}`,
    hint: `See their output: portolan run show ${shortRunId(runId)}`,
  };
}

/** Rolls the stage back, last group first: overwritten and created items, settings and categories. */
const rollBack: Phase<PromotionRun> = {
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

const kind: Kind<PromotionRun> = {
  name: 'promotion',
  parks: true,
  notifies: true,
  first: () => ({ groups: {}, portal: {}, parts: 0, left: 0, isCommitted: false }),
  verdict: (run) => run.verdict,
  effectOf: (run) => run.came,
  settle: settleStage,
  describeParked: whereGroupsAre,
  suggests: (run) => [`portolan promote rollback ${run.input.route.name} ${run.input.stage}`],
  checkResume,
};

/**
 * Promotes a release to a stage: all groups and portal settings, with one plan and one approval. Or rolls the stage
 * back.
 */
export const promotion = defineRun<PromotionInput, PromotionRun>(kind, PromotionRun, ({ undoes }) =>
  undoes === undefined
    ? [
        guardStage, // waits for its turn and checks that the release is eligible
        planGroups, // plans every group before anything is written
        approveWhole, // one approval for all of it
        importGroups, // one child run each, in order
        changePortal, // settings and categories
        checkStage, // commands and URLs
        commit, // the release becomes the current one
        rollBack, // or everything is rolled back
      ]
    : [guardStage, planWayBack, approveWhole, rollBack],
);

const words = {
  imported: 'as in the release',
  unclear: 'neither as in the release nor as before',
  back: 'as before',
} as const;

/** The state of each group. */
function whereGroupsAre(run: PromotionRun): Promise<{ evidence: string[]; held: string[] }> {
  const { input } = run;
  const { groups, portal } = run.own;
  const evidence = input.groups.map(({ name }, index) => {
    const { stands, runId } = groups[index] ?? {};
    const by = runId === undefined ? '' : `: portolan run show ${runId}`;
    return `group ${name} is ${stands === undefined ? words.back : words[stands]}${by}`;
  });
  for (const each of ['settings', 'categories'] as const)
    if (input[each]) evidence.push(`${each}: ${portalWords(portal[each])}`);
  return Promise.resolve({
    evidence: listFirst(evidence, LINES_MAX),
    held: [`stage ${input.stage}: blocked for other promotions`],
  });
}

function portalWords(change: PortalProgress['settings']): string {
  if (!change) return words.back;
  return change.isWhole ? words.imported : words.unclear;
}

const LINES_MAX = 30;

/** A promotion resumes as it was started; groups not yet imported are planned again. */
function checkResume(_run: PromotionRun, set: RouteChange, phase: PhaseName): Promise<AcceptedResume> {
  if (Object.keys(set).length > 0)
    throw refuse('a promotion takes no --set; correct the run of the group, or start another promotion');
  return Promise.resolve({ phase });
}
