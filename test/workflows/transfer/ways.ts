import type { FaultRule } from '../../../src/simulator/faults';
import type { SimulatorOptions } from '../../../src/simulator/options';
import { isLong } from '../../support/long';
import type { RehearsalOptions } from '../../support/rehearsal';

/** One way in which a portal, or the connection to it, is not as usual. */
export interface Way {
  /** Words of a title. */
  readonly how: string;
  readonly options: RehearsalOptions;
  /** Ways of the same number do not get into each other's way: one sync can meet them all. */
  readonly sync: number;
  /** It takes long: only `npm run test:faults` tries it. @default false */
  readonly isLong?: boolean;
}

export interface Tried {
  readonly how: string;
  readonly options: RehearsalOptions;
}

/** The syncs of a table: one for each number, and one for each way in `npm run test:faults`. */
export function syncsOf(ways: readonly Way[]): Tried[] {
  if (isLong) return [...ways];
  const short = ways.filter((way) => !way.isLong);
  return [...new Set(short.map(({ sync }) => sync))].map((sync) => {
    const met = short.filter((way) => way.sync === sync);
    return {
      how: met.map(({ how }) => how).join('; '),
      options: met.map(({ options }) => options).reduce(both),
    };
  });
}

const both = (one: RehearsalOptions, other: RehearsalOptions): RehearsalOptions => ({
  ...one,
  ...other,
  source: bothPortals(one.source, other.source),
  target: bothPortals(one.target, other.target),
});

const bothPortals = (
  one: Partial<SimulatorOptions> = {},
  other: Partial<SimulatorOptions> = {},
): Partial<SimulatorOptions> => ({
  ...one,
  ...other,
  faults: { rules: [...rulesOf(one), ...rulesOf(other)] },
});

/** The faults that a portal plays. */
export const rulesOf = ({ faults }: Partial<SimulatorOptions> = {}): FaultRule[] =>
  typeof faults === 'object' ? faults.rules : [];
