import type { PromotionInput } from '../../model/release/promotion-input';
import { signPart } from '../run/activity-options';
import { refusal } from '../run/failure';
import { endOfPart, noteUnseen, startPart } from '../run/part-run';
import { phase, type PhaseEnd } from '../run/phase';
import type { DueRun } from './due-run';

/** Promotes the release in a child run that waits and parks like any promotion. */
export const promoteChosen = phase({
  name: 'promotion',
  async run(run: DueRun): Promise<PhaseEnd> {
    const promotion = run.own.chosen;
    if (!promotion) throw refusal('INTERNAL', 'no release was chosen');
    note(run, promotion, 'running');
    const { state, status, error } = await endOfPart(promotion, async () => {
      const signed = { ...promotion, proof: await signPart(promotion) };
      const handle = await startPart('promotion', signed, `${promotion.release.id} to ${promotion.stage}`);
      run.underWay.add(handle);
      return await handle.result().finally(() => run.underWay.delete(handle));
    });
    note(run, promotion, status);
    if (state) run.show({ target: state.target });
    else noteUnseen(run, promotion.runId);
    if (error) return { error, status: 'failed' };
    return { detail: `${promotion.release.id} is the current release of ${promotion.stage}` };
  },
});

const note = (run: DueRun, { runId, stage }: PromotionInput, status: DueRun['state']['status']): void =>
  run.show({ children: [{ runId, name: stage, items: 0, status }] });
