import { expect, it } from '@jest/globals';
import { snapshotRows } from '../../../src/domain/snapshot/snapshot-rows';
import type { JobLists } from '../../../src/model/transfer/job';
import type { RequestedItem } from '../../../src/model/transfer/requested';
import { aRequested } from '../transfer/facts';

const item = (more: Partial<RequestedItem> = {}) => aRequested('a', more);
const entry = { itemId: 'a' };
const lists = (more: Partial<JobLists>): JobLists => ({ done: [], skipped: [], failed: [], ...more });
const other = { itemId: 'b' };

it.each<
  [
    title: string,
    item: RequestedItem,
    lists: JobLists | undefined,
    is: { saved: string; reason?: string; failed?: number },
  ]
>([
  [
    'is in the package if the portal lists it as exported',
    item(),
    lists({ done: [entry] }),
    { saved: 'package' },
  ],
  ['is presumed to be in the package if the portal sent no lists', item(), undefined, { saved: 'presumed' }],
  [
    'is missing, with the reason of the portal, if it failed',
    item(),
    lists({ failed: [{ ...entry, reason: 'broken' }] }),
    { saved: 'no', reason: 'broken', failed: 1 },
  ],
  [
    'is missing, and no failure, if the portal skips items of its type',
    item(),
    lists({ skipped: [entry] }),
    { saved: 'no', reason: 'the portal skipped it' },
  ],
  [
    'is missing, and no failure, if no export takes it',
    item({ skip: 'it has no data' }),
    lists({ done: [other] }),
    { saved: 'no', reason: 'it has no data' },
  ],
  [
    'is missing if the portal lists others and not it',
    item(),
    lists({ done: [other] }),
    { saved: 'no', reason: 'the portal did not report that it exported it', failed: 1 },
  ],
  [
    'is missing for the reason that made it doubtful, if the portal does not list it',
    item({ doubt: 'its data may be too large' }),
    lists({ done: [other] }),
    { saved: 'no', reason: 'its data may be too large', failed: 1 },
  ],
])('an item of a backup %s', (_title, requested, told, { failed = 0, ...row }) => {
  const found = snapshotRows({ requested: [requested], live: [], lists: told, isExported: true });
  expect(found).toMatchObject({ rows: [row], failed });
});

it('an item is missing if nothing was exported', () => {
  const found = snapshotRows({ requested: [item()], live: [], lists: undefined, isExported: false });
  expect(found).toMatchObject({ rows: [{ saved: 'no' }], failed: 1 });
});

it('a row shows the item before the export, or as requested if it left the group', () => {
  const live = [{ itemId: 'a', type: 'Web Map', title: 'A now', owner: 'o', modified: 2 }];
  const { rows } = snapshotRows({
    requested: [
      item({ modified: 1 }),
      item({ itemId: 'b', title: 'B', url: 'https://one', packageIndex: 1 }),
      item({ itemId: 'c', title: 'C', url: 'https://two', hosted: true }),
    ],
    live,
    lists: undefined,
    isExported: true,
  });
  expect(rows).toMatchObject([
    { title: 'A now', owner: 'o', modified: 2, package: 0 },
    { title: 'B', url: undefined, package: 1 },
    { title: 'C', url: 'https://two' },
  ]);
});
