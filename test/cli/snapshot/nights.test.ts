import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { Month } from '../../backup/month';

const rules = { last: 1, daily: 2, weekly: 1, monthly: 2 };

let month: Month;
beforeAll(async () => {
  month = await Month.open(rules, Date.UTC(2026, 8, 29, 3), 'every 30d');
});
afterAll(() => month?.close());

it('backups keep the policy over the end of a month, and export only edits', async () => {
  await month.pass({ edits: [] });
  await month.pass({ edits: ['features'], trouble: 'the answer to the export is lost' });
  await month.pass({ edits: ['item'], trouble: 'the portal refuses everything' });
  await month.pass({ edits: [], trouble: 'the group has shrunk' });
  await month.pass({ edits: ['features'] });
  expect(month.mornings.map(({ record, problems }) => [record.status, problems])).toEqual(
    ['succeeded', 'succeeded', 'failed', 'partial', 'succeeded'].map((status) => [status, []]),
  );
  expect(month.mornings.at(-1)?.kept).toEqual(['2026-09-30', '2026-10-03']);
  const added = month.mornings.map(({ record }) => record.package?.sizeBytes ?? 0);
  const [first = 0, second = 0, , , fifth = 0] = added;
  expect(second + fifth).toBeLessThan(first / 2);
  expect(await month.judgeBytes()).toEqual([]);
});
