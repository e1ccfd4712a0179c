import { describe, expect, it } from '@jest/globals';
import { compareGroups, type KnownGroups, type RuleGroup } from '../../../src/domain/protect/rule-groups';

const at = '2026-11-27T02:30:00.000Z';
const roads: RuleGroup = { id: 'a1', title: 'Roads', owner: 'anna' };
const parks: RuleGroup = { id: 'b2', title: 'Parks', owner: 'ben' };
const known = (...groups: RuleGroup[]): KnownGroups => ({ runId: 'earlier', at, groups, former: [] });
const deleted = async () => undefined;
const changesOf = async (now: RuleGroup[], before: KnownGroups | undefined, lookUp = deleted) => {
  const { changes } = await compareGroups(now, before, lookUp, at);
  return changes.map(({ groupId, change }) => [groupId, change]);
};

describe('what changed among the groups of a rule', () => {
  it('is nothing at its first run', async () => {
    expect(await changesOf([roads, parks], undefined)).toEqual([]);
  });

  it.each([
    ['a title', [{ ...roads, title: 'Streets' }], [['a1', 'renamed']]],
    ['an owner', [{ ...roads, owner: 'carl' }], [['a1', 'owner']]],
    ['a group that was deleted', [], [['a1', 'gone']]],
    [
      'a group that was deleted and made again with its title',
      [{ ...roads, id: 'c3' }],
      [
        ['a1', 'replaced'],
        ['c3', 'new'],
      ],
    ],
    ['a new group', [roads, parks], [['b2', 'new']]],
  ] satisfies [string, RuleGroup[], string[][]][])('is told apart: %s', async (_what, now, changes) => {
    expect(await changesOf(now, known(roads))).toEqual(changes);
  });

  it('names a group that exists and no longer matches, with its present title', async () => {
    const there = async () => ({ title: 'Old roads', owner: 'anna' });
    const { changes, former } = await compareGroups([], known(roads), there, at);
    expect(changes.map(({ change }) => change)).toEqual(['renamed', 'unmatched']);
    expect(former).toEqual([{ ...roads, title: 'Old roads', since: at, exists: true }]);
  });

  it('is reported once, and a group that comes back is no new one', async () => {
    const first = await compareGroups([parks], known(roads, parks), deleted, at);
    const next = { ...known(parks), former: first.former };
    expect(await changesOf([parks], next)).toEqual([]);
    expect(await changesOf([parks, roads], next)).toEqual([['a1', 'back']]);
    expect((await compareGroups([parks, roads], next, deleted, at)).former).toEqual([]);
  });
});
