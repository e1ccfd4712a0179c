import type { FaultRule } from '../../../src/simulator/faults';
import type { SimulatorOptions } from '../../../src/simulator/options';
import type { RehearsalOptions } from '../../support/rehearsal';

/** One way in which a portal, or the connection to it, is not as usual. */
export interface Way {
  /** Words of a title. */
  readonly how: string;
  readonly options: RehearsalOptions;
  /** Ways of the same number do not get into each other's way: one sync can meet them all. */
  readonly sync: number;
}

export interface Tried {
  readonly how: string;
  readonly options: RehearsalOptions;
}

/** `npm run test:faults` tries each way by itself. */
export const eachAlone = process.env['PORTOLAN_TEST_FAULTS'] === 'alone';

/** The syncs of a table: one for each number, or one for each way where they are desired alone. */
export function syncsOf(ways: readonly Way[]): Tried[] {
  if (eachAlone) return [...ways];
  return [...new Set(ways.map(({ sync }) => sync))].map((sync) => {
    const met = ways.filter((way) => way.sync === sync);
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
