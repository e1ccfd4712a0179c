import type { Proof, ReceivedAnswer, ReceivedStart } from '../../model/run/signature';
import type { Part } from '../../domain/control/parts';
import type { ActivityDeps } from '../deps';

export function createAuthorityActivities({ authority }: Pick<ActivityDeps, 'authority'>) {
  return {
    /** Accepts a start, or throws NOT_AUTHENTIC. A repeat is accepted again. */
    async admitStart(start: ReceivedStart): Promise<void> {
      await authority.admitStart(start);
    },

    /** Accepts a decision, or throws NOT_AUTHENTIC. */
    async admitAnswer(answer: ReceivedAnswer): Promise<void> {
      await authority.admitAnswer(answer);
    },

    /** Signs a child run. */
    async signPart(part: Part): Promise<Proof> {
      return await authority.signPart(part);
    },
  };
}
