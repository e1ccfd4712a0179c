import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { PhaseName } from '../../src/model/run/phase';
import type { Chance } from '../soak/chance';
import type { Blow } from './blows';
import type { Kind } from './kinds';
import {
  atAll,
  atCalls,
  atEachOf,
  atPosts,
  atRandom,
  atWrites,
  type Call,
  isPost,
  type Moment,
  onePerPhase,
  onlyIn,
} from './moments';
import { Trials, type Twin } from './trial';

/** A twin, and its calls that the twins of earlier kinds did not make. */
interface Course extends Twin {
  readonly fresh: readonly Call[];
}

interface Times {
  readonly title: string;
  readonly of: (course: Course) => readonly Moment[];
}

export const inEachPhase: Times = {
  title: 'in each phase',
  of: ({ calls, canAsk }) => onePerPhase(calls, canAsk),
};
export const atEachWrite: Times = { title: 'at each write', of: ({ calls }) => atWrites(calls) };
export const atNewWrites: Times = { title: 'at each new write', of: ({ fresh }) => atWrites(fresh) };
export const atEachCall: Times = { title: 'at each call', of: ({ calls }) => atAll(calls) };
export const atEachFile: Times = { title: 'when each file is written', of: ({ files }) => atEachOf(files) };
export const atEachPost: Times = { title: 'at each export and import', of: ({ calls }) => atPosts(calls) };
export const aroundNewCalls: Times = {
  title: 'before and after each new call',
  of: ({ fresh }) => atCalls(fresh, ['lost', 'processed']),
};
export const atFirstWrites: Times = {
  title: 'after the first write of each kind',
  of: ({ calls }) =>
    atCalls(
      calls.filter(({ writes }) => writes),
      ['processed', 'answered'],
    ),
};
export const afterFirstPosts: Times = {
  title: 'after its first export and import',
  of: ({ calls }) => atCalls(calls.filter(isPost), ['processed']),
};
export const atEveryWrite: Times = { title: 'at every write', of: () => [{ unheard: true }] };
export const atChance = (chance: Chance, count: number): Times => ({
  title: 'at random',
  of: ({ calls }) => atRandom(calls, count, chance),
});
/** Files of the store, by the ends of their names. */
export const atFiles = (is: 'written' | 'gone', ...files: readonly RegExp[]): Times => ({
  title: `when its files are ${is}`,
  of: () => files.map((file) => ({ file, is })),
});

const needsNoPortal: ReadonlySet<PhaseName> = new Set([
  'approve',
  'checks',
  'guard',
  // A bisect unites the ledgers of its runs.
  'ledger',
  'prove',
  'release',
  'retention',
]);

/** Kinds of runs, and what strikes each of them when. */
export type Table = readonly (readonly [Kind, ...(readonly [Blow, Times])[]])[];

/** A suite for each kind. */
export function describeStruck(table: Table): void {
  let shown: readonly Call[] = [];

  describe.each(table.map(([kind, ...rows]) => ({ ...kind, kind, rows })))('$title', ({ kind, rows }) => {
    let trials: Trials;
    let course: Course;
    beforeAll(async () => {
      trials = await Trials.open(kind);
      course = { ...trials.twin, fresh: onlyIn(trials.twin.calls, shown) };
      shown = [...shown, ...trials.twin.calls];
    });
    afterAll(() => trials.close());

    it('calls a portal in each phase but those that need none', () => {
      const { calls, record } = course;
      const begun = record.phases.filter(({ startedAt }) => startedAt !== undefined).map(({ name }) => name);
      const silent = begun.filter((name) => !calls.some(({ phase }) => phase === name));
      expect(silent.filter((name) => !needsNoPortal.has(name))).toEqual([]);
    });

    it.each(rows.map(([blow, times]) => [blow.title, times.title, blow, times] as const))(
      'ends as if undisturbed after %s %s',
      async (_blow, _times, blow, { of }) => {
        expect(await trials.struck(blow, of(course))).toEqual([]);
      },
    );
  });
}
