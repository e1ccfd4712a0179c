import type { Proof, ReceivedAnswer, ReceivedStart } from '../../model/run/proof';
import type { Part } from '../../domain/control/authority';
import { requireLocal } from '../attempt/callers';
import type { ActivityDeps } from '../deps';

export function createAuthorityActivities({ authority }: Pick<ActivityDeps, 'authority'>) {
  return {
    /** Lets a start in, or throws NOT_AUTHENTIC. A repeat of the same one is let in again. */
    async admitStart(start: ReceivedStart): Promise<void> {
      requireLocal();
      await authority.admitStart(start);
    },

    /** Lets an answer in, or throws NOT_AUTHENTIC. */
    async admitAnswer(answer: ReceivedAnswer & { readonly parent?: string }): Promise<void> {
      requireLocal();
      await authority.admitAnswer(answer);
    },

    /** What shows that a part of a run is one. */
    async signPart(part: Part): Promise<Proof> {
      requireLocal();
      return await authority.signPart(part);
    },
  };
}
