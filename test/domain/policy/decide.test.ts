import { describe, expect, it } from '@jest/globals';
import {
  type IntendedWrite,
  isOneOf,
  type Latitude,
  whyNotNamed,
  type Writer,
} from '../../../src/model/run/policy';
import { allowedByPolicy, approversOf, type BindingRoute, decide } from '../../../src/domain/policy/decide';
import type { PortalPolicy } from '../../../src/model/run/policy';
import type { Approval } from '../../../src/model/transfer/route';

const nightly: BindingRoute = {
  name: 'nightly',
  source: { portal: 'staging', group: 'roads' },
  target: { portal: 'production', group: 'roads-there' },
  options: { approval: 'ask', overwrite: true, data: 'keep' },
  backup: { drill: { portal: 'scratch', group: 'anything' } },
};
const routes: readonly BindingRoute[] = [
  nightly,
  {
    ...nightly,
    name: 'strict',
    target: { portal: 'production', group: 'strict-there' },
    options: { ...nightly.options, approval: 'required' },
  },
  {
    ...nightly,
    name: 'few',
    target: { portal: 'production', group: 'few-there' },
    options: { ...nightly.options, overwrite: false, take: ['k1'], exclude: { tags: ['draft'] } },
  },
];
/** A Sunday. */
const now = Date.UTC(2026, 10, 22, 12);
const open: PortalPolicy = { writes: 'free', twoPeople: false, adhoc: true };

/** `prod` is production under another name. */
const isSame = (one: string, other: string): boolean =>
  one.replace(/^prod$/, 'production') === other.replace(/^prod$/, 'production');

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
const into = (groupId: string, asked: IntendedWrite = adhoc): IntendedWrite => ({
  ...asked,
  target: { ...asked.target, groupId },
});
const by = (writer: Writer, asked: IntendedWrite = adhoc): IntendedWrite => ({ ...asked, writer });
const settings: IntendedWrite = { writer: 'settings', target: { portal: 'production' } };

const decided = (asked: IntendedWrite, ...policies: readonly Partial<PortalPolicy>[]): string => {
  const decision = decide(asked, {
    routes,
    isSame,
    now,
    policies: policies.map((each) => ({ ...open, ...each })),
  });
  return decision.verdict === 'refused' ? decision.code : decision.ruling.approval;
};

type Expected = Approval | 'POLICY_REFUSED';
const cases: readonly (readonly [
  title: string,
  asked: IntendedWrite,
  policy: Partial<PortalPolicy>,
  is: Expected,
])[] = [
  ['a route of the worker by its name, into another group', into('elsewhere', sync), {}, 'ask'],
  [
    'the group id of such a route on another portal',
    { ...adhoc, target: { portal: 'scratch', groupId: 'strict-there' } },
    {},
    'none',
  ],
  ['a route that only asks does not bind other runs', into('roads-there'), {}, 'none'],
  [
    'a drill of a route that requires it, to where nobody works',
    { ...by('drill with import'), route: 'strict' },
    {},
    'none',
  ],
  ['a name of the worker with other ends', into('elsewhere', sync), { adhoc: false }, 'POLICY_REFUSED'],
  ['the ends of a route under another name', { ...sync, route: 'mine' }, { adhoc: false }, 'POLICY_REFUSED'],
  [
    'the route of the worker with its own options',
    { ...sync, options: { overwrite: true, data: 'keep' } },
    { adhoc: false },
    'ask',
  ],
  [
    'the route of the worker, doing less',
    { ...sync, options: { overwrite: false, data: 'keep' } },
    { adhoc: false },
    'ask',
  ],
  ...[
    ['taking what the route takes, leaving out what it does and more', ['k1'], ['Draft', 'old'], 'ask'],
    ['taking more than the route', ['k1', 'k2'], ['draft'], 'POLICY_REFUSED'],
    ['leaving out less than the route', [], ['old'], 'POLICY_REFUSED'],
    ['leaving out nothing', [], undefined, 'POLICY_REFUSED'],
  ].map(([what, take, tags, is]): (typeof cases)[number] => [
    `a route that takes an item and leaves out a tag: a run ${String(what)}`,
    {
      ...into('few-there', sync),
      route: 'few',
      options: { ...nightly.options, overwrite: false, take, exclude: { tags } } as Latitude,
    },
    { adhoc: false },
    is as Expected,
  ]),
];

describe('the decision about', () => {
  it.each(cases)('%s', (_title, asked, policy, is) => {
    expect(decided(asked, policy)).toBe(is);
  });
});

it('a refusal names each option that exceeds the route, with its value there', () => {
  const overwriting = { ...sync, route: 'strict', target: { portal: 'production', groupId: 'strict-there' } };
  const options = { overwrite: true, data: 'replace', take: ['c1'], allowShrink: true } as const;
  const ofRoute = {
    approval: 'ask',
    overwrite: false,
    data: 'keep',
    exclude: { types: ['Dashboard'] },
  } as const;
  const own = routes.map((each) => ({ ...each, options: ofRoute }));
  const policies = [{ ...open, adhoc: false }];
  expect(decide({ ...overwriting, options }, { routes: own, isSame, now, policies })).toEqual({
    verdict: 'refused',
    code: 'POLICY_REFUSED',
    saw: 'the run would do more than route strict on the worker allows (policy: adhoc: false)',
    needs:
      'overwrite: false (not true), data: keep (not replace), no --take of c1, no --allow-shrink, exclude: type Dashboard (not included)',
    todo: 'Omit these options, or change the route there.',
  });
});

it('a closed window is named with the time at which one opens', () => {
  const windows = [{ kind: 'allow', cron: '0 20 * * 1-4', forMs: 8 * 3_600_000, timezone: 'UTC' }] as const;
  const decision = decide(sync, { routes, isSame, now, policies: [{ ...open, windows }] });
  expect(decision).toMatchObject({ until: Date.UTC(2026, 10, 23, 20), ruling: { hasWindows: true } });
  expect(allowedByPolicy(decision)).toMatchObject({
    verdict: 'pass',
    saw: 'approval: ask, set by route nightly (approval: ask); the import waits until 2026-11-23T20:00:00.000Z: the policy of production allows imports only within "0 20 * * 1-4" for 8h (UTC)',
  });
  expect(decide(settings, { routes, isSame, now, policies: [{ ...open, windows }] })).toMatchObject({
    saw: expect.stringContaining('; a window opens at 2026-11-23T20:00:00.000Z'),
    todo: 'Start it again at 2026-11-23T20:00:00.000Z or later.',
  });
});

describe('a policy', () => {
  it('applies under every name of the portal, the strictest first [P13]', () => {
    expect(decided(adhoc, {}, { writes: 'required' })).toBe('required');
    expect(decided(adhoc, { writes: 'never' }, { writes: 'ask' })).toBe('POLICY_REFUSED');
    const decision = decide(adhoc, {
      routes,
      isSame,
      now,
      policies: [
        { ...open, approvers: { users: ['ann', 'bob'] } },
        { ...open, approvers: { users: ['bob', 'cyd'] }, twoPeople: true },
      ],
    });
    expect(decision).toMatchObject({ ruling: { approvers: ['bob'], twoPeople: true } });
  });

  it('knows approvers by their name on any machine, or on one', () => {
    expect(isOneOf('ann@desk', ['ann'])).toBe(true);
    expect(isOneOf('ann@desk', ['ann@desk'])).toBe(true);
    expect(isOneOf('ann@desk', ['ann@other', 'bob', 'desk', 'an'])).toBe(false);
    expect(isOneOf('ann@example.com@desk', ['ann@example.com'])).toBe(true);
    expect(isOneOf('ann@example.com@desk', ['ann'])).toBe(false);
  });

  it('knows a user whatever the case of the name', () => {
    expect(isOneOf('Ann@desk', ['ann'])).toBe(true);
    expect(isOneOf('ann@desk', ['Ann@DESK'])).toBe(true);
    expect(isOneOf('ann@desk', ['Ann@OTHER'])).toBe(false);
    expect(whyNotNamed({ twoPeople: true }, 'Ann', 'ann')).toContain('a second approver');
    const by = (users: string[]) => ({ ...open, approvers: { users } });
    expect(approversOf([by(['Ann', 'bob']), by(['ann'])]).approvers).toEqual(['Ann']);
  });
});
