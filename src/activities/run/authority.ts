import type { Proof, ReceivedAnswer, ReceivedStart } from '../../model/run/signature';
import type { Part } from '../../domain/control/parts';
import type { ActivityDeps } from '../deps';

export function createAuthorityActivities({ authority }: Pick<ActivityDeps, 'authority'>) {
  return {
    /** Lets a start in, or throws NOT_AUTHENTIC. A repeat of the same one is let in again. */
    async admitStart(start: ReceivedStart): Promise<void> {
      await authority.admitStart(start);
    },

    /** Lets an answer in, or throws NOT_AUTHENTIC. */
    async admitAnswer(answer: ReceivedAnswer): Promise<void> {
      await authority.admitAnswer(answer);
    },

    /** What shows that a part of a run is one. */
    async signPart(part: Part): Promise<Proof> {
      return await authority.signPart(part);
    },
  };
}
