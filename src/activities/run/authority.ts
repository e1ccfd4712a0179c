import type { Proof, ReceivedAnswer, ReceivedStart } from '../../model/run/signature';
import type { CarriedTrace } from '../../model/trace/trace-context';
import type { Part } from '../../domain/control/parts';
import { requireLocal } from '../attempt/callers';
import type { ActivityDeps } from '../deps';

export function createAuthorityActivities({ authority }: Pick<ActivityDeps, 'authority'>) {
  return {
    /**
     * Accepts a start, or throws NOT_AUTHENTIC. A repeat is accepted again.
     * @returns the trace of a run that came without one, set by `TracedAttempt`
     */
    async admitStart(start: ReceivedStart): Promise<CarriedTrace | undefined> {
      requireLocal();
      await authority.admitStart(start);
      return undefined;
    },

    /** Accepts a decision, or throws NOT_AUTHENTIC. */
    async admitAnswer(answer: ReceivedAnswer): Promise<void> {
      requireLocal();
      await authority.admitAnswer(answer);
    },

    /** Signs a child run. */
    async signPart(part: Part): Promise<Proof> {
      requireLocal();
      return await authority.signPart(part);
    },
  };
}
