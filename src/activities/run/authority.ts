import type { Proof, ReceivedAnswer, ReceivedStart } from '../../model/run/proof';
import type { SyncInput } from '../../model/run/run-input';
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

    /** What shows that a part of a search is one. */
    async signPart(part: SyncInput & { readonly parent: string }): Promise<Proof> {
      requireLocal();
      return await authority.signPart(part);
    },
  };
}
