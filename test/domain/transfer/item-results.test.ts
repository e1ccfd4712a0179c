import { describe, expect, it } from '@jest/globals';
import { ledgerOf, type LedgerEvidence, unitedLedger } from '../../../src/domain/transfer/item-results';
import type { JobLists } from '../../../src/model/transfer/job';
import { emptyLedger, type Ledger } from '../../../src/model/transfer/ledger';
import type { PlanRow } from '../../../src/model/transfer/plan';
import type { RequestedItem } from '../../../src/model/transfer/requested';

const doubt = 'type Dashboard is not a known exportable type; the portal decides';
const item = (itemId: string) => ({ itemId, type: 'Web Map', title: itemId, packageIndex: 0 });
const [map, board] = [item('map'), item('board')];
const as = (more: Partial<RequestedItem>) => ({ requested: [map, { ...board, ...more }] });
const none = { done: [], skipped: [], failed: [] };
const planned = (action: PlanRow['action'], more: Partial<PlanRow> = {}): PlanRow => ({
  ...board,
  action,
  ...more,
});
const plan = (action: PlanRow['action'], more: Partial<PlanRow> = {}) => ({ plan: [planned(action, more)] });
const id = { itemId: 'board' };
const entry = { ...id, reason: 'Not supported.' };
const importFailure = 'production ended the import job as "failed"; portal message: "No."';
/** Evidence after an import was sent; without `lists` its response was lost. */
const posted = (lists?: Partial<JobLists>, evidence: Partial<LedgerEvidence> = plan('create')) => ({
  posted: 1,
  imported: [lists && { ...none, ...lists }],
  ...evidence,
});
const lost = (action: PlanRow['action'], modified?: number, ...onTarget: [string, number?][]) =>
  posted(undefined, {
    ...plan(action, { target: { modified } }),
    onTarget: new Map(onTarget as [string, number][]),
  });
const failing = (...given: Parameters<typeof lost>) => ({ ...lost(...given), importFailure });
const ended = 'notImported: the run ended before its import';
const skipped = `skipped: ${doubt}`;
const lostResponse = 'unaccounted: the response to the import was lost, and';

it.each([
  ['nothing exported', { exported: none, nothingExported: true }, skipped],
  ['a list of others', { exported: { ...none, done: [{ itemId: 'map' }] } }, skipped],
  ['a run that ended early', {}, ended],
  ['a run that ended after an empty list', { exported: none }, ended],
  ['an import without a plan', posted({}, {}), 'unaccounted: the target imported without a plan'],
  [
    'its exclusion, although the source failed it',
    {
      ...as({ excluded: true, skip: 'by the route' }),
      plan: [],
      exported: { ...none, failed: [id] },
    },
    'skipped: by the route',
  ],
  ['a skip by its type', { ...as({ skip: 'a view' }), plan: [] }, 'skipped: a view'],
  [
    'a skip by an earlier run',
    { ...as({ same: { runId: 'sync-1', as: 'skipped' } }), plan: [] },
    'skipped: the source skipped it in sync-1',
  ],
  [
    'a skip with a reason',
    { ...as({ same: { runId: 'sync-1', as: 'skipped', reason: 'big' } }), plan: [] },
    'skipped: big',
  ],
  [
    'a source that skipped it',
    { plan: [], exported: { ...none, skipped: [entry] } },
    'skipped: Not supported.',
  ],
  ['a source that skipped it silently', { plan: [], exported: { ...none, skipped: [id] } }, skipped],
  [
    'a source that skipped a usual type',
    { ...as({}), plan: [], exported: { ...none, skipped: [id] } },
    'skipped: the source skipped it',
  ],
  [
    'a source that failed it',
    { plan: [], exported: { ...none, failed: [id, entry, { ...id, reason: 'x' }] } },
    'failed: Not supported.',
  ],
  [
    'a source that failed it silently',
    { plan: [], exported: { ...none, failed: [id] } },
    'failed: the source could not export it',
  ],
  [
    'a source that exported it',
    { plan: [], exported: { ...none, done: [id] } },
    'unaccounted: the source says it was exported, but no package contains it',
  ],
  [
    'a source that says nothing',
    { ...as({}), plan: [] },
    'unaccounted: in no package, and the source gives no reason',
  ],
  ['a restore from its copy', { putBack: new Set(['board']) }, 'imported: restored from its copy'],
  [
    'an earlier import of the run',
    { ...plan('keep'), movedBefore: new Set(['board']) },
    'imported: by an earlier import of this run',
  ],
  [
    'an import outside the plan',
    posted({ done: [id] }, plan('keep')),
    'unaccounted: the target imported it although it was not in the plan',
  ],
  [
    'results without an import',
    { ...plan('keep', { reason: 'exists' }), imported: [{ ...none, done: [id] }] },
    'kept: exists',
  ],
  [
    'an earlier run that imported it',
    as({ same: { runId: 'sync-1', as: 'imported' } }),
    'same: unchanged since sync-1',
  ],
  [
    'an earlier run that kept it',
    as({ same: { runId: 'sync-1', as: 'kept', reason: 'exists' } }),
    'kept: exists',
  ],
  ['a plan that leaves it', { ...plan('same'), movedBefore: new Set(['board']) }, 'same: unchanged'],
  ['a plan that leaves it for a reason', plan('same', { reason: 'identical' }), 'same: identical'],
  ['a plan that blocks it', plan('blocked', { reason: 'owned' }), 'blocked: owned'],
  ['a plan that blocks it silently', plan('blocked'), 'blocked: the plan gives no reason'],
  ['a plan that finds it on the target only', plan('extra'), 'unaccounted: only on the target'],
  ['a plan that restores it', plan('restore'), 'notImported: it was not restored from its copy'],
  ['a plan that removes it', plan('remove'), 'unaccounted: the run was to delete it'],
  ['a row of no package', posted({ done: [id] }, plan('create', { packageIndex: undefined })), ended],
  ['an import of earlier packages', posted({ done: [id] }, plan('create', { packageIndex: 1 })), ended],
  ['an import', posted({ done: [entry] }), 'imported: '],
  [
    'an import of an overwritten item that another row keeps',
    posted({ done: [id] }, { plan: [planned('overwrite'), planned('keep')] }),
    'imported: ',
  ],
  ['an import that failed it', posted({ failed: [entry] }), 'failed: Not supported.'],
  ['an import that failed it silently', posted({ failed: [id] }), 'failed: the target could not import it'],
  ['an import that skipped it', posted({ skipped: [entry] }), 'failed: Not supported.'],
  ['an import that skipped it silently', posted({ skipped: [id] }), 'failed: the target skipped it'],
  ['an import that does not name it', posted({}), 'unaccounted: the target does not report its result'],
  ['a lost response', posted(), `${lostResponse} the target was not checked`],
  ['a lost response, and no item', lost('create'), `${lostResponse} it is missing`],
  ['a lost response, and a new item', lost('create', undefined, ['board', 6]), 'imported: '],
  [
    'a lost response, and an item as before',
    lost('overwrite', 5, ['board', 5]),
    `${lostResponse} it is unchanged`,
  ],
  ['a lost response, and a changed item', lost('overwrite', 5, ['board', 6]), 'imported: '],
  [
    'a lost response, and an item without a date',
    lost('overwrite', 5, ['board']),
    `${lostResponse} the target does not report when it was changed`,
  ],
  [
    'a lost response, and an item without a date before',
    lost('overwrite', undefined, ['board', 5]),
    `${lostResponse} the target does not report when it was changed`,
  ],
  ['a failed import without it', failing('create'), `failed: ${importFailure}`],
  ['a failed import that left it', failing('overwrite', 5, ['board', 5]), `failed: ${importFailure}`],
  ['a failed import that changed it', failing('overwrite', 5, ['board', 6]), 'imported: '],
  ['a failed import that created it', failing('create', undefined, ['board', 6]), 'imported: '],
  [
    'a failed import of a later package',
    { ...failing('create'), posted: 2 },
    `${lostResponse} it is missing`,
  ],
])('the result of an item is right after %s', (_, evidence, result) => {
  const ledger = ledgerOf({ ...as({ doubt }), imported: [], posted: 0, ...evidence });
  const found = Object.entries(ledger).flatMap(([list, entries]) =>
    entries.flatMap(({ itemId, reason = '' }) => (itemId === 'board' ? `${list}: ${reason}` : [])),
  );
  expect(found).toEqual([result]);
});

describe('the results of a bisect', () => {
  const ledger = (lists: Partial<Ledger>): Ledger => ({ ...emptyLedger(), ...lists });
  const item = (itemId: string, reason?: string) => ({ itemId, title: itemId.toUpperCase(), reason });
  const lost = (...ids: string[]) => ledger({ unaccounted: ids.map((id) => item(id, 'lost')) });

  it('have each item once: as its last run says, or as failed with the portal message', () => {
    const united = unitedLedger(['a', 'b', 'c', 'd'], ledger({ unaccounted: [item('d', 'the run ended')] }), [
      { lists: lost('a', 'b', 'c') },
      { lists: lost('b'), failing: 'Unable to import.' },
      { lists: ledger({ imported: [item('a')], blocked: [item('c', 'of another type')] }) },
      { lists: ledger({ kept: [item('a', 'exists on the target')] }) },
    ]);
    expect(united).toEqual(
      ledger({
        imported: [item('a')],
        blocked: [item('c', 'of another type')],
        failed: [item('b', 'Unable to import.')],
        notImported: [{ ...item('d'), type: undefined, reason: 'the bisect ended before its import' }],
      }),
    );
  });
});
