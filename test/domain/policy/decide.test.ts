import { describe, expect, it } from '@jest/globals';
import { type IntendedWrite, isOneOf, whyNotNamed } from '../../../src/model/run/policy';
import {
  allowedByPolicy,
  approversOf,
  type BindingRoute,
  decide,
  showsPlan,
} from '../../../src/domain/policy/decide';
import type { PortalPolicy } from '../../../src/model/run/policy';
import type { Approval } from '../../../src/model/transfer/route';

const nightly: BindingRoute = {
  name: 'nightly',
  source: { portal: 'staging', group: 'roads' },
  target: { portal: 'production', group: 'roads-there' },
  options: { approval: 'ask', overwrite: true, data: 'replace', take: ['k1'], exclude: { tags: ['draft'] } },
  backup: { drill: { portal: 'scratch', group: 'anything' } },
};
const strict: BindingRoute = {
  ...nightly,
  name: 'strict',
  target: { portal: 'production', group: 'strict-there' },
  options: { approval: 'required', overwrite: false, data: 'keep' },
  backup: {},
};
const routes = [nightly, strict];
/** A Sunday. */
const now = Date.UTC(2026, 10, 22, 12);
const open: PortalPolicy = { writes: 'free', twoPeople: false, adhoc: true };

/** `prod` is production under another name. */
const isSame = (one: string, other: string) =>
  one.replace(/^prod$/, 'production') === other.replace(/^prod$/, 'production');
const rules = { routes, stages: [], isSame, now };

const sync: IntendedWrite = {
  writer: 'sync',
  route: 'nightly',
  source: { portal: 'staging', groupId: 'roads' },
  target: { portal: 'production', groupId: 'roads-there' },
  approval: 'none',
};
const adhoc: IntendedWrite = {
  ...sync,
  route: 'adhoc',
  target: { portal: 'production', groupId: 'elsewhere' },
};
const intoStrict = { ...sync, route: 'strict', target: { portal: 'production', groupId: 'strict-there' } };
const settings: IntendedWrite = { writer: 'settings', target: { portal: 'production' } };

const decided = (asked: IntendedWrite, ...policies: Partial<PortalPolicy>[]) => {
  const decision = decide(asked, { ...rules, policies: policies.map((each) => ({ ...open, ...each })) });
  return decision.verdict === 'refused' ? decision.code : decision.ruling.approval;
};

it.each<[title: string, asked: IntendedWrite, is: Approval | 'POLICY_REFUSED']>([
  ['refuses a sync without its source', { ...sync, source: undefined }, 'POLICY_REFUSED'],
  ['refuses a drill where no route has one', { ...adhoc, writer: 'drill' }, 'POLICY_REFUSED'],
  ['allows what its route allows', { ...intoStrict, options: strict.options }, 'required'],
  [
    'allows a run that leaves out more than its route',
    { ...sync, options: { ...nightly.options, exclude: { tags: ['Draft', 'old'] } } },
    'ask',
  ],
])('a portal that accepts only runs of a route %s', (_title, asked, is) => {
  expect(decided(asked, { adhoc: false })).toBe(is);
});

it('a refusal names each option that exceeds the route, with its value there', () => {
  const options = { overwrite: true, data: 'replace', take: ['c1', 'c2'], allowShrink: true } as const;
  const ofRoute = {
    approval: 'ask',
    overwrite: false,
    data: 'keep',
    exclude: { types: ['Dashboard'] },
  } as const;
  const own = routes.map((each) => ({ ...each, options: ofRoute }));
  const policies = [{ ...open, adhoc: false }];
  expect(decide({ ...intoStrict, options }, { ...rules, routes: own, policies })).toEqual({
    verdict: 'refused',
    code: 'POLICY_REFUSED',
    saw: 'the run would do more than route strict on the worker allows (policy: adhoc: false)',
    needs:
      'overwrite: false (not true), data: keep (not replace), no --take of c1, c2, no --allow-shrink, exclude: type Dashboard (not included)',
    todo: 'Omit these options, or change the route there.',
  });
});

it('a closed window is named with the time at which one opens', () => {
  const windows = [{ kind: 'allow', cron: '0 20 * * 1-4', forMs: 8 * 3_600_000, timezone: 'UTC' }] as const;
  const policies = [{ ...open, windows }, open];
  const decision = decide(sync, { ...rules, policies });
  expect(decision).toMatchObject({ until: Date.UTC(2026, 10, 23, 20), ruling: { hasWindows: true } });
  const waits =
    'the import waits until 2026-11-23T20:00:00.000Z: the policy of production allows imports only within "0 20 * * 1-4" for 8h (UTC)';
  expect(allowedByPolicy(decision)).toEqual({
    name: 'policy',
    verdict: 'pass',
    saw: `approval: ask, set by route nightly (approval: ask); ${waits}`,
    isNews: true,
  });
  expect(allowedByPolicy(decide(adhoc, { ...rules, policies }))?.saw).toBe(waits);
  expect(decide(settings, { ...rules, policies })).toMatchObject({
    saw: expect.stringContaining('; a window opens at 2026-11-23T20:00:00.000Z'),
    todo: 'Start it again at 2026-11-23T20:00:00.000Z or later.',
  });
});

it('the check of a plan shows a refusal and a required approval, and nothing else', () => {
  const check = (writes: PortalPolicy['writes']) =>
    allowedByPolicy(decide(adhoc, { ...rules, policies: [{ ...open, writes }] }));
  expect(check('never')).toEqual({
    name: 'policy',
    verdict: 'refuse',
    code: 'POLICY_REFUSED',
    saw: 'the policy of production forbids all writes (writes: never)',
    needs: 'another portal',
    todo: 'Choose another target, or change portals.production.policy on the worker.',
  });
  expect(check('ask')).toEqual({
    name: 'policy',
    verdict: 'pass',
    saw: 'approval: ask, set by the policy of production (writes: ask)',
  });
  expect(check('free')).toBeUndefined();
});

it('syncs and restores show a plan to approve, drills and settings do not', () => {
  expect((['sync', 'restore', 'drill', 'settings'] as const).filter(showsPlan)).toEqual(['sync', 'restore']);
});

describe('a policy', () => {
  it('applies under every name of the portal, the strictest first [P13]', () => {
    expect(decided(adhoc, {}, { writes: 'required' })).toBe('required');
    expect(decided(adhoc, { writes: 'never' }, { writes: 'ask' })).toBe('POLICY_REFUSED');
    expect(decided(adhoc, {}, { adhoc: false })).toBe('POLICY_REFUSED');
    const approversIn = (...policies: Partial<PortalPolicy>[]) =>
      approversOf(policies.map((each) => ({ ...open, ...each })));
    expect(
      approversIn(
        {},
        { approvers: { users: ['ann', 'bob'] } },
        { approvers: { users: ['bob', 'cyd'] }, twoPeople: true },
      ),
    ).toEqual({ approvers: ['bob'], twoPeople: true });
    expect(
      approversIn({ approvers: { users: ['ann'] } }, { approvers: { users: ['ann'], group: 'g' } }),
    ).toEqual({
      approvers: ['ann'],
      asMembers: true,
      twoPeople: false,
    });
  });

  it.each([
    ['ann@desk', 'ann', true],
    ['ann@desk', 'ann@desk', true],
    ['ann@desk', 'ann@other', false],
    ['ann@desk', 'desk', false],
    ['ann@desk', 'an', false],
    ['ann@example.com@desk', 'ann@example.com', true],
    ['ann@example.com@desk', 'ann', false],
    ['Ann@desk', 'ann', true],
    ['ann@desk', 'Ann@DESK', true],
    ['ann@desk', 'Ann@OTHER', false],
  ])('knows %s on one machine or any, in any case, if it names %s: %s', (who, approver, isKnown) => {
    expect(isOneOf(who, ['bob', approver])).toBe(isKnown);
  });

  it('knows a user whatever the case of the name', () => {
    expect(whyNotNamed({ twoPeople: true }, 'Ann', 'ann')).toContain('a second approver');
    const by = (users: string[]) => ({ ...open, approvers: { users } });
    expect(approversOf([by(['Ann', 'bob']), by(['ann'])]).approvers).toEqual(['Ann']);
  });
});
