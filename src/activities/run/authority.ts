import type { Proof, ReceivedAnswer, ReceivedStart } from '../../model/run/signature';
import type { CarriedTrace } from '../../model/trace/trace-context';
import type { Part } from '../../domain/control/parts';
import { requireLocal } from '../attempt/callers';
import type { ActivityDeps } from '../deps';

export function createAuthorityActivities({ authority }: Pick<ActivityDeps, 'authority'>) {
  return {
    /**
     * Lets a start in, or throws NOT_AUTHENTIC. A repeat of the same one is let in again.
     * @returns the trace of a run that came without one, which `TracedAttempt` puts in place of nothing
     */
    async admitStart(start: ReceivedStart): Promise<CarriedTrace | undefined> {
      requireLocal();
      await authority.admitStart(start);
      return undefined;
    },

    /** Lets an answer in, or throws NOT_AUTHENTIC. */
    async admitAnswer(answer: ReceivedAnswer): Promise<void> {
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
