import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Chance } from '../soak/chance';
import type { Edit } from './edits';
import { Month, type Night } from './month';
import { troubles } from './troubles';

const seed = Number(process.env['PORTOLAN_NIGHTS_SEED'] ?? 20261001);
const nightsDrawn = Number(process.env['PORTOLAN_NIGHTS'] ?? 38);

const rules = { last: 3, daily: 7, weekly: 4, monthly: 2 };
/** Nights with the last one take minutes: one of them is enough. */
const quick = troubles.slice(0, -1);

const say = (text: string): void => void process.stderr.write(`${text}\n`);

/** A third of the nights without an edit, a third with trouble. */
function draw(chance: Chance): Night {
  const edits = chance.pick<readonly Edit[]>([
    [],
    [],
    ['item'],
    ['features'],
    ['features'],
    ['item', 'features'],
  ]);
  const trouble = chance.below(3) === 0 ? chance.pick(quick) : undefined;
  return { edits, trouble, pins: chance.below(15) === 0 };
}

describe.each([
  ['each by itself', undefined],
  ['that build on each other', 'every 90d'],
])(`${2 * troubles.length + nightsDrawn} nights of a schedule, %s`, (_, full) => {
  let month: Month;
  beforeAll(async () => {
    say(`nights with PORTOLAN_NIGHTS_SEED=${seed}`);
    month = await Month.open(rules, Date.UTC(2026, 8, 7, 3), full);
    const chance = new Chance(seed);
    const nights = [
      // Each trouble with something new to keep, and features edited only just after and just before.
      ...troubles.flatMap((trouble): Night[] => [{ edits: ['item'], trouble }, { edits: ['features'] }]),
      ...Array.from({ length: nightsDrawn }, () => draw(chance)),
    ];
    for (const night of nights) {
      const { at, record, problems } = await month.pass(night);
      for (const problem of problems) say(`${new Date(at).toISOString()} ${record.runId}: ${problem}`);
    }
    say(month.table());
  });
  afterAll(() => month?.close());

  it('each end as they should, and none waits for a person', () => {
    expect(month.mornings.filter(({ record }) => record.status === 'parked')).toEqual([]);
    expect(month.mornings.map(({ record }) => record.status)).toEqual(
      expect.arrayContaining(['succeeded', 'nothing-to-do', 'partial', 'failed']),
    );
  });

  it('keep exactly the snapshots of the policy, and every edit is in one of them', () => {
    expect(month.mornings.flatMap(({ problems }) => problems)).toEqual([]);
  });

  it('leave snapshots that hold, byte for byte, what the group held in their night', async () => {
    expect(await month.judgeBytes()).toEqual([]);
  });

  it('were each started once', async () => {
    const ids = month.mornings.map(({ record }) => record.runId);
    expect(new Set(ids).size).toBe(ids.length);
    const { started, skipped, missed, waiting } = await month.typed.json<{
      started: number;
      skipped: number;
      missed: number;
      waiting: number;
    }>('schedule show nightly');
    expect({ started, skipped, missed, waiting }).toEqual({
      started: ids.length,
      skipped: 0,
      missed: 0,
      waiting: 0,
    });
  });
});
