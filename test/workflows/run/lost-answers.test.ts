import { afterEach, describe, expect, it } from '@jest/globals';
import type { FaultAction, FaultRule } from '../../../src/simulator/faults';
import { isLong } from '../../support/long';
import { Rehearsal } from '../../support/rehearsal';
import { rulesOf, syncsOf, type Way } from '../transfer/ways';

let rehearsal: Rehearsal;
afterEach(() => rehearsal.close());

const posts = (side: 'source' | 'target', operation: string): number =>
  rehearsal[side]
    .requests()
    .filter((request) => request.operation === operation && request.params['previewOnly'] !== 'true').length;

const playedFaults = (): number =>
  [rehearsal.source, rehearsal.target]
    .flatMap((portal) => portal.requests())
    .filter(({ fault }) => fault !== undefined).length;

const lost = (operation: string, params?: Record<string, string>): { faults: { rules: FaultRule[] } } => ({
  faults: { rules: [{ match: { operation, params }, nth: 1, when: 'after', do: 'reset' }] },
});

const lostAnswers: readonly Way[] = [
  { how: 'the export', options: { source: { version: '11.3', ...lost('group.export') } }, sync: 1 },
  { how: 'the import', options: { target: lost('group.import', { previewOnly: 'false' }) }, sync: 1 },
  { how: 'a small upload', options: { target: lost('item.add') }, sync: 1 },
  { how: 'a deletion', options: { target: lost('item.delete') }, sync: 1 },
  {
    how: 'an upload that begins',
    options: { fullSize: true, target: lost('item.add') },
    sync: 2,
    isLong: true,
  },
  { how: 'a part', options: { fullSize: true, target: lost('item.addPart') }, sync: 2, isLong: true },
  { how: 'a commit', options: { fullSize: true, target: lost('item.commit') }, sync: 2, isLong: true },
];

describe('a sync whose portal does the work, but whose answer is lost', () => {
  it.each(syncsOf(lostAnswers))(
    'looks before it repeats, adopts what there is and accounts for every item: $how',
    async ({ options }) => {
      rehearsal = await Rehearsal.open(options);
      const { record, runId } = await rehearsal.sync();
      expect(record).toMatchObject({ status: 'succeeded', target: 'changed' });
      expect(posts('source', 'group.export')).toBe(1);
      expect(posts('target', 'group.import')).toBe(1);
      const ledger = await rehearsal.ledger(runId);
      expect(ledger.imported).toHaveLength(8);
      expect(ledger.unaccounted).toEqual([]);
      expect(rehearsal.packages()).toEqual([]);
      expect(playedFaults()).toBe(rulesOf(options.source).length + rulesOf(options.target).length);
    },
  );
});

const reads = {
  source: ['portal.self', 'group.content', 'item.data', 'layer.query', 'job'],
  target: [
    'portal.self',
    'item.status',
    'group.importPreview',
    'group.content',
    'item.read',
    'job',
    'layer.query',
  ],
} as const;
const faults: readonly FaultAction[] = [
  'reset',
  'html',
  { cut: 10 },
  { status: 503, retryAfter: 1 },
  { status: 429, retryAfter: 1 },
  'expireToken',
];

/** Faults of the first read of every kind: each fault alone, or all of them, another one for every kind and side. */
const badLines = isLong
  ? faults.map((fault) => ({ line: JSON.stringify(fault), at: () => fault }))
  : [{ line: 'all faults', at: (kind: number, side: number) => faults[(kind + side) % faults.length]! }];

describe('a sync through a bad line', () => {
  it.each(badLines)('goes on after the first of every kind of read failed: $line', async ({ at }) => {
    const rulesOf = (operations: readonly string[], side: number): FaultRule[] =>
      operations.map((operation, kind) => ({ match: { operation }, nth: 1, do: at(kind, side) }));
    rehearsal = await Rehearsal.open({
      source: { faults: { rules: rulesOf(reads.source, 0) } },
      target: { faults: { rules: rulesOf(reads.target, 1) } },
    });
    const { record } = await rehearsal.sync();
    expect(record).toMatchObject({ status: 'succeeded', verification: { notChecked: [], findings: [] } });
    expect(playedFaults()).toBe(reads.source.length + reads.target.length);
  });
});
