import type { FaultAction, FaultRule } from '../../src/simulator/faults';
import type { Side } from '../harness/pair';
import type { Chance } from './chance';

type Blow = Required<Pick<FaultRule, 'when' | 'do'>>;

const before = (...actions: FaultAction[]): Blow[] =>
  actions.map((action) => ({ when: 'before', do: action }));
const after = (...actions: FaultAction[]): Blow[] => actions.map((action) => ({ when: 'after', do: action }));

/** The connection breaks, something in front of the portal answers in its place, or it has forgotten us. */
const refusals = before(
  'reset',
  'hang',
  'html',
  'expireToken',
  { status: 429, retryAfter: 1 },
  { status: 503, retryAfter: 1 },
  { status: 502 },
  { error: { code: 500 } },
  { delay: 1_500 },
);
/** The portal has done it, and nobody hears of it. */
const lostAnswers = after('reset', 'hang', 'html', { status: 504 }, { cut: 5 });

interface Place {
  readonly side: Side;
  readonly operation: string;
  readonly params?: Record<string, string>;
  readonly blows: readonly Blow[];
}

const reads = (side: Side, ...operations: string[]): Place[] =>
  operations.map((operation) => ({ side, operation, blows: [...refusals, ...after({ cut: 5 })] }));
const writes = (side: Side, ...operations: string[]): Place[] =>
  operations.map((operation) => ({ side, operation, blows: [...refusals, ...lostAnswers] }));
/** A portal that hangs over a file is given ten minutes: such a fault would take longer than all the others. */
const sends = (...operations: string[]): Place[] =>
  operations.map((operation) => ({
    side: 'target',
    operation,
    blows: [...refusals, ...lostAnswers, ...before({ cutRequest: 1_000 })].filter(
      ({ do: action }) => action !== 'hang',
    ),
  }));

/** Everything that a sync asks of its portals. */
const places: readonly Place[] = [
  ...(['source', 'target'] as const).flatMap((side) => [
    ...reads(side, 'token.generate', 'portal.self', 'portal.servers', 'community.self', 'machines.list'),
    ...reads(side, 'group.read', 'group.content', 'user.content', 'item.read', 'job'),
    ...writes(side, 'group.export', 'item.update', 'item.delete'),
  ]),
  {
    side: 'source',
    operation: 'item.data',
    blows: [...refusals, ...before({ cut: 500 }, { slow: 500_000 })],
  },
  ...reads('target', 'item.status', 'item.parts', 'item.groups', 'group.importPreview'),
  ...sends('item.add', 'item.addPart'),
  ...writes('target', 'item.commit'),
  ...['true', 'false'].map((previewOnly) => ({
    side: 'target' as const,
    operation: 'group.import',
    params: { previewOnly },
    blows: [...refusals, ...lostAnswers],
  })),
];

/** So many faults at the most befall one sync. */
const FAULTS_MAX = 4;
/** A fault hits one of the next so many requests of its kind. */
const WITHIN = 3;

/** What befalls the portals while one sync runs; others that use them may be hit in its stead. */
export function storm(chance: Chance): { side: Side; rule: FaultRule }[] {
  return Array.from({ length: chance.below(FAULTS_MAX + 1) }, () => {
    const { side, operation, params, blows } = chance.pick(places);
    const nth = 1 + chance.below(params ? 1 : WITHIN);
    return { side, rule: { match: { operation, params }, nth, ...chance.pick(blows) } };
  });
}
