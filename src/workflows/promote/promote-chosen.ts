import { refusal } from '../run/failure';
import { runPart } from '../run/parts';
import { phase, type PhaseEnd } from '../run/phase';
import type { DueRun } from './due-run';

/** Promotes the release in a child run that waits and parks like any promotion. */
export const promoteChosen = phase({
  name: 'promotion',
  async run(run: DueRun): Promise<PhaseEnd> {
    const promotion = run.own.chosen;
    if (!promotion) throw refusal('INTERNAL', 'no release was chosen');
    const { release, stage: name } = promotion;
    const summary = `${release.id} to ${name}`;
    const { state, error } = await runPart(run, 'promotion', promotion, { name, summary });
    if (state) run.show({ target: state.target });
    if (error) return { error, status: 'failed' };
    return { detail: `${release.id} is the current release of ${name}` };
  },
});
