import { routes } from '../../src/simulator/routes';
import type { Rehearsal } from './rehearsal';

const writing: ReadonlySet<string> = new Set(
  routes.filter(({ method }) => method === 'POST').map(({ operation }) => operation),
);

/** What was asked of either portal that changes something on it, in its order. Signing in changes nothing. */
export const writesOn = ({ source, target }: Pick<Rehearsal, 'source' | 'target'>): string[] =>
  [source, target].flatMap((portal) =>
    portal
      .requests()
      .map(({ operation }) => operation)
      .filter((operation) => writing.has(operation) && !/^(token|signIn|oauth)/i.test(operation)),
  );
