import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from '@jest/globals';
import { type BindingRoute, decide, type Freeze } from '../../../src/domain/policy/decide';
import { type IntendedWrite, leastForWrites, type PortalPolicy } from '../../../src/model/run/policy';

/**
 * Every decision over all kinds of writers, freezes, policies, windows, approvals and targets, as a decision tree whose
 * last line is its root. `PORTOLAN_WRITE_DECISIONS=1` records it again.
 */
const RECORDED = path.join(__dirname, 'decisions.txt');

const now = Date.UTC(2026, 10, 22, 12);
const freezeOf = (portal: string): Freeze => ({ portal, who: 'ann@desk', at: now - 1, reason: 'audit' });
const denied = (from: string, to: string): PortalPolicy['windows'] => [
  { kind: 'deny', from, to, timezone: 'UTC', reason: 'holidays' },
];
const route: BindingRoute = {
  name: 'nightly',
  source: { portal: 'staging', group: 'roads' },
  target: { portal: 'production', group: 'named' },
  options: { approval: 'ask', overwrite: false, data: 'keep' },
  backup: { drill: { portal: 'production', group: 'scratch' } },
};
const routes = [
  route,
  {
    ...route,
    name: 'strict',
    target: { portal: 'prod', group: 'strict' },
    options: { ...route.options, approval: 'required' as const },
  },
];
const into = (groupId: string | undefined, more: Partial<IntendedWrite> = {}): Partial<IntendedWrite> => ({
  route: 'nightly',
  source: { portal: 'staging', groupId: 'roads' },
  target: { portal: 'production', groupId },
  ...more,
});
const stages = [
  { stage: 'transport/live', portal: 'prod', group: 'held', settings: true, categories: false },
  { stage: 'transport/other', portal: 'elsewhere', group: 'named', settings: false, categories: true },
];

/** Each with its values; those that decide most come first. */
const dimensions = {
  freeze: {
    none: {},
    portal: { freeze: freezeOf('production') },
    stage: { freeze: freezeOf('transport/live') },
  },
  writes: Object.fromEntries(leastForWrites.map((writes) => [writes, { policy: { writes } }])),
  adhoc: { yes: {}, no: { policy: { adhoc: false } } },
  into: {
    'named group': { asked: into('named') },
    'named group, laxer': {
      asked: into('named', {
        options: { overwrite: true, data: 'replace', take: ['k1'], allowShrink: true },
      }),
    },
    'from elsewhere': { asked: into('named', { source: { portal: 'other', groupId: 'roads' } }) },
    'strict group': { asked: into('strict', { route: 'strict' }) },
    'strict group, unnamed': { asked: into('strict', { route: 'other' }) },
    'drill target': { asked: into('scratch') },
    'unknown group': { asked: into('unknown', { route: 'adhoc' }) },
    'stage group': { asked: into('held') },
    'stage group by its promotion': { asked: into('held', { stage: 'transport/live' }) },
    'stage group by another promotion': { asked: into('held', { stage: 'transport/other' }) },
    portal: { asked: { target: { portal: 'production' } } },
    'other stage portal': { asked: { target: { portal: 'elsewhere' } } },
    'stage portal by its promotion': { asked: { target: { portal: 'production' }, stage: 'transport/live' } },
  },
  writer: Object.fromEntries(
    (
      [
        'sync',
        'restore',
        'drill',
        'drill with import',
        'leftovers',
        'settings',
        'categories',
        'task-run',
        'banner',
      ] as const
    ).map((writer) => [writer, { asked: { writer } }]),
  ),
  asks: Object.fromEntries(
    (['none', 'ask', 'required'] as const).map((approval) => [approval, { asked: { approval } }]),
  ),
  approvers: {
    any: {},
    named: { policy: { approvers: { users: ['gislead'] } } },
    'two people': { policy: { twoPeople: true } },
  },
  approved: { no: {}, yes: { asked: { isApproved: true } } },
  windows: {
    none: {},
    open: { policy: { windows: denied('2026-12-24', '2026-12-26') } },
    closed: { policy: { windows: denied('2026-11-20', '2026-11-23') } },
    never: { policy: { windows: denied('2026-11-20', '2028-11-23') } },
    'closed, begun': { policy: { windows: denied('2026-11-20', '2026-11-23') }, asked: { hasBegun: true } },
  },
} satisfies Record<string, Record<string, Given>>;

interface Given {
  asked?: Partial<IntendedWrite>;
  policy?: Partial<PortalPolicy>;
  freeze?: Freeze;
}

const isSame = (one: string, other: string) =>
  one.replace(/^prod$/, 'production') === other.replace(/^prod$/, 'production');

/** Names of decisions and of trees, by their text: each once. */
const names = new Map<string, string>();

function nameOf(text: string) {
  const name = names.get(text) ?? String(names.size + 1);
  names.set(text, name);
  return name;
}

function decided({ asked, policy, freeze }: Given) {
  const policies = [{ writes: 'free', twoPeople: false, adhoc: true, ...policy } as const];
  return nameOf(
    JSON.stringify(decide(asked as IntendedWrite, { routes, stages, isSame, now, freeze, policies })),
  );
}

/** Values with the same subtree share a branch, and a choice that decides nothing is left out. */
function treeOf(given: Given, [dimension, ...rest]: [string, Record<string, Given>][]) {
  if (!dimension) return decided(given);
  const [name, values] = dimension;
  const branches = new Map<string, string[]>();
  for (const [value, { asked, policy, freeze }] of Object.entries(values)) {
    const next: Given = {
      asked: { ...given.asked, ...asked },
      policy: { ...given.policy, ...policy },
      freeze: given.freeze ?? freeze,
    };
    const tree = treeOf(next, rest);
    branches.set(tree, [...(branches.get(tree) ?? []), value]);
  }
  const [only] = branches.keys();
  if (branches.size === 1 && only !== undefined) return only;
  return nameOf(`${name}? ${[...branches].map(([tree, some]) => `${some.join(' | ')}: ${tree}`).join('; ')}`);
}

it('decides as recorded for all writers, freezes, policies and approvals [P13]', () => {
  treeOf({}, Object.entries(dimensions));
  const text = [...names].map(([each, name]) => `${name} ${each}\n`).join('');
  if (process.env.PORTOLAN_WRITE_DECISIONS === '1') writeFileSync(RECORDED, text);
  expect(text).toBe(readFileSync(RECORDED, 'utf8'));
});
