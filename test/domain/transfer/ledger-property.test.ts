import { ledgerLists, type LedgerList } from '../../../src/model/transfer/ledger-lists';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { JobLists } from '../../../src/model/transfer/job';
import { type Ledger, type LedgerEntry } from '../../../src/model/transfer/ledger';
import { ledgerOf, type LedgerEvidence, unitedLedger } from '../../../src/domain/transfer/item-results';
import { planActions } from '../../../src/model/transfer/plan';

/** Few ids, so that lists repeat and contradict each other; the last two are asked for by nobody. */
const asked = ['a', 'b', 'c', 'd', 'e', 'f'];
const anyId = fc.constantFrom(...asked, 'stranger', 'intruder');

const optional = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });
const words = optional(fc.constantFrom('', 'because', 'by its type'));
const modified = optional(fc.constantFrom(1, 2));

const item = fc.record({
  itemId: fc.constantFrom(...asked),
  type: fc.constantFrom('Web Map', 'Dashboard', 'Feature Service'),
  title: fc.string({ maxLength: 3 }),
  skip: words,
  doubt: words,
  packageIndex: fc.constantFrom(0, 1),
  same: fc.option(
    fc.record({
      runId: fc.constant('sync-1'),
      as: fc.constantFrom('imported', 'kept', 'skipped'),
      reason: words,
    }),
    { nil: undefined, freq: 5 },
  ),
});

const row = fc.record({
  itemId: anyId,
  type: fc.constant('Web Map'),
  title: fc.constant('Roads'),
  action: fc.constantFrom(...planActions),
  reason: words,
  packageIndex: optional(fc.constantFrom(0, 1)),
  target: optional(fc.record({ modified })),
});

const list = fc.array(fc.record({ itemId: optional(fc.oneof(anyId, fc.constant(''))), reason: words }), {
  maxLength: 6,
});
const lists = fc.record({ done: list, skipped: list, failed: list });

const evidence = fc.record({
  requested: fc.array(item, { maxLength: 8 }),
  exported: optional(lists),
  nothingExported: optional(fc.boolean()),
  plan: optional(fc.array(row, { maxLength: 8 })),
  imported: fc.array(optional(lists), { minLength: 2, maxLength: 2 }),
  posted: fc.nat(2),
  movedBefore: optional(fc.array(anyId, { maxLength: 3 }).map((ids) => new Set(ids))),
  onTarget: optional(fc.array(fc.tuple(anyId, modified), { maxLength: 6 }).map((pairs) => new Map(pairs))),
});

const placed = (ledger: Ledger) =>
  ledgerLists.flatMap((name) => ledger[name].map((entry): [LedgerList, LedgerEntry] => [name, entry]));

const names = (entries: JobLists['done'] | undefined, itemId: string) =>
  entries?.some((entry) => entry.itemId === itemId) ?? false;

const holds = (
  property: (ledger: Ledger, given: LedgerEvidence) => void,
  parameters: fc.Parameters<[LedgerEvidence]> = {},
) =>
  fc.assert(
    fc.property(evidence, (given) => property(ledgerOf(given), given)),
    { numRuns: 1_000, ...parameters },
  );

describe('the results of any run', () => {
  it('hold each requested item exactly once, and no other [P07]', () => {
    holds((ledger, { requested }) => {
      const ids = placed(ledger).map(([, { itemId }]) => itemId);
      expect(ids.sort()).toEqual([...new Set(requested.map(({ itemId }) => itemId))].sort());
    });
  });

  it('keep the order, type and title of the listing', () => {
    holds((ledger, { requested }) => {
      for (const name of ledgerLists) {
        const places = ledger[name].map(({ itemId, type, title }) => {
          const at = requested.findIndex((each) => each.itemId === itemId);
          expect({ type, title }).toEqual({ type: requested[at]?.type, title: requested[at]?.title });
          return at;
        });
        expect(places).toEqual([...places].sort((a, b) => a - b));
      }
    });
  });

  it('have a reason for every item neither imported nor kept', () => {
    holds((ledger) => {
      for (const [name, { reason }] of placed(ledger))
        if (name !== 'imported' && name !== 'kept') expect(reason).toMatch(/./);
    });
  });

  it('are imported only if an import was sent and is seen to have brought the item', () => {
    holds((ledger, { plan = [], imported, onTarget, posted, movedBefore }) => {
      for (const { itemId } of ledger.imported) {
        const rows = plan.filter((each) => each.itemId === itemId);
        const planned = rows.some(({ action }) => action === 'create' || action === 'overwrite');
        const brought = rows.some(({ action, target, packageIndex = posted }) => {
          if (packageIndex >= posted) return false;
          const told = imported[packageIndex];
          if (told)
            return names(told.done, itemId) && !names(told.failed, itemId) && !names(told.skipped, itemId);
          const now = onTarget?.get(itemId);
          const isChanged = now !== undefined && target?.modified !== undefined && now !== target.modified;
          return onTarget?.has(itemId) === true && (action === 'create' || isChanged);
        });
        const before = rows.some(({ action }) => action === 'keep') && movedBefore?.has(itemId) === true;
        expect((planned && brought) || (!planned && before)).toBe(true);
      }
    });
  });

  it('do not depend on the order of lists that name each item once', () => {
    const once = evidence.map((given) => {
      const unique = <T extends { itemId?: string }>(entries: T[]): T[] => [
        ...new Map(entries.map((entry) => [entry.itemId, entry])).values(),
      ];
      const uniqueLists = (from?: JobLists) =>
        from && { done: unique(from.done), skipped: unique(from.skipped), failed: unique(from.failed) };
      return {
        ...given,
        plan: given.plan && unique(given.plan),
        exported: uniqueLists(given.exported),
        imported: given.imported.map(uniqueLists),
      };
    });
    const turned = (from?: JobLists) =>
      from && {
        done: from.done.toReversed(),
        skipped: from.skipped.toReversed(),
        failed: from.failed.toReversed(),
      };
    fc.assert(
      fc.property(once, (given) => {
        const { plan, exported, imported } = given;
        const other = {
          ...given,
          plan: plan?.toReversed(),
          exported: turned(exported),
          imported: imported.map(turned),
        };
        expect(ledgerOf(other)).toEqual(ledgerOf(given));
      }),
      { numRuns: 1_000 },
    );
  });
});

describe('the results of any bisect', () => {
  const parts = fc.array(
    fc.record({ lists: evidence.map(ledgerOf), failing: optional(fc.constant('Unable to import.')) }),
    { maxLength: 4 },
  );
  const known = optional(evidence.map(ledgerOf));
  const chosen = fc.array(fc.constantFrom(...asked), { maxLength: 8 });

  it('hold each item once, with a reason, and forget no import', () => {
    fc.assert(
      fc.property(chosen, known, parts, (itemIds, before, tried) => {
        const united = unitedLedger(itemIds, before, tried);
        const ids = placed(united).map(([, { itemId }]) => itemId);
        expect(ids.sort()).toEqual([...new Set(itemIds)].sort());
        for (const [name, { reason }] of placed(united))
          if (name !== 'imported' && name !== 'kept') expect(reason).toMatch(/./);
        const imported = tried.flatMap(({ lists: { imported: those } }) => those.map(({ itemId }) => itemId));
        expect(united.imported.map(({ itemId }) => itemId).sort()).toEqual(
          [...new Set(imported)].filter((itemId) => itemIds.includes(itemId)).sort(),
        );
      }),
      { numRuns: 500 },
    );
  });
});
