import { randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Pair, Side } from './pair';
import type { Part, Staff, World } from './world';

/** What befalls runs at their moments, and how it is undone. */
export interface Blow {
  readonly title: string;
  readonly staff: Staff;
  /** Cuts the connection of the call alone. */
  readonly cuts?: boolean;
  /** Strikes once more, after so many calls of all runs together. */
  readonly again?: () => number;
  readonly strike: (world: World, pairs: readonly Pair[]) => Promise<void> | void;
  readonly bringBack: (world: World, pairs: readonly Pair[]) => Promise<void> | void;
}

/** A server has answered by then. */
const SERVED_WITHIN_MS = 200;

const onAll = async (pairs: readonly Pair[], act: (pair: Pair) => Promise<void>): Promise<void> => {
  await Promise.all(pairs.map(act));
};

const killed = (part: Part): Blow => ({
  title: `kill -9 of ${part}`,
  staff: part === 'up' || part === 'temporal' ? 'up' : 'worker',
  strike: (world) => world.strike(part),
  bringBack: (world) => world.bringBack(part),
});

const lostPortal = (side: Side): Blow => ({
  title: `loss of the ${side} portal`,
  staff: 'worker',
  strike: (_, pairs) => onAll(pairs, (pair) => pair.strike(side)),
  bringBack: (_, pairs) => onAll(pairs, (pair) => pair.bringBack(side)),
});

export const blows = {
  worker: killed('worker'),
  up: killed('up'),
  temporal: killed('temporal'),
  serve: {
    ...killed('serve'),
    cuts: true,
    async strike(world) {
      await sleep(randomInt(SERVED_WITHIN_MS));
      world.strike('serve');
    },
  },
  source: lostPortal('source'),
  target: lostPortal('target'),
  everything: {
    title: 'kill -9 of everything at once',
    staff: 'up',
    async strike(world, pairs) {
      world.strike('temporal');
      world.strike('up');
      await onAll(
        pairs,
        async (pair) => void (await Promise.all([pair.strike('source'), pair.strike('target')])),
      );
    },
    async bringBack(world, pairs) {
      await onAll(pairs, async (pair) => {
        await Promise.all([pair.bringBack('source'), pair.bringBack('target')]);
      });
      await world.bringBack('up');
    },
  },
  none: { title: 'nothing else', staff: 'worker', strike: () => {}, bringBack: () => {} },
  cut: { title: 'lost connection', staff: 'worker', cuts: true, strike: () => {}, bringBack: () => {} },
} as const satisfies Record<string, Blow>;
