import type { DuePromotionInput, PromotionInput } from '../model/release/promotion-input';
import { reading } from './run/activity-options';
import { defineRun } from './run/run-to-end';
import { refusal } from './run/failure';
import { runSigned } from './run/child-runs';
import type { Kind, Phase } from './run/phase';
import { Run } from './run/run';

/** A scheduled promotion: its chosen release and its child run. */
type DueRun = Run<DuePromotionInput, { chosen?: PromotionInput }>;

/** Chooses the release to promote. */
const choose: Phase<DueRun> = {
  name: 'guard',
  async run(run) {
    const { runId, stage } = run.input;
    const { promotion, detail } = await reading(`releases eligible for ${stage}`).choosePromotion({ runId });
    if (!promotion) return { detail, then: 'end' };
    run.own.chosen = promotion;
    run.show({ release: promotion.release });
    return { detail };
  },
};

/** Promotes the release in a child run that waits and parks like any promotion. */
const promoteChosen: Phase<DueRun> = {
  name: 'promotion',
  async run(run) {
    const promotion = run.own.chosen;
    if (!promotion) throw refusal('INTERNAL', 'no release was chosen');
    const { release, stage: name } = promotion;
    const summary = `${release.id} to ${name}`;
    const { state, error } = await runSigned(
      run,
      { workflow: 'promotion', input: promotion },
      { name, summary },
    );
    if (state) run.show({ target: state.target });
    if (error) return { error, status: 'failed' };
    return { detail: `${release.id} is the current release of ${name}` };
  },
};

const kind: Kind<DueRun> = {
  name: 'promote',
  notifies: true,
  first: () => ({}),
  verdict: (run) => (run.own.chosen ? 'succeeded' : 'nothing-to-do'),
};

/** Promotes what is eligible for a stage, as a child run. Schedules start it. */
export const promote = defineRun<DuePromotionInput, DueRun>(kind, Run, () => [
  choose, // the eligible release, if any
  promoteChosen,
]);
