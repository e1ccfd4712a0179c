import type { Proof, ReceivedAnswer, ReceivedStart } from '../../model/run/signature';
import type { Part } from '../../domain/control/parts';
import type { ActivityDeps } from '../deps';

/** Accepts a start, or throws NOT_AUTHENTIC. A repeat is accepted again. */
export async function admitStart({ authority }: ActivityDeps, start: ReceivedStart): Promise<void> {
  await authority.admitStart(start);
}

/** Accepts a decision, or throws NOT_AUTHENTIC. */
export async function admitAnswer({ authority }: ActivityDeps, answer: ReceivedAnswer): Promise<void> {
  await authority.admitAnswer(answer);
}

/** Signs a child run. */
export async function signPart({ authority }: ActivityDeps, part: Part): Promise<Proof> {
  return await authority.signPart(part);
}
