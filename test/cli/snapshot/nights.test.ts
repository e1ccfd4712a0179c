import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { Month } from '../../backup/month';

const rules = { last: 1, daily: 2, weekly: 1, monthly: 2 };

let month: Month;
beforeAll(async () => {
  month = await Month.open(rules, Date.UTC(2026, 8, 29, 3), 'every 30d');
});
afterAll(() => month?.close());

it('keeps what the policy says, night by night over the end of a month, skips no night with an edit, and exports what was edited alone', async () => {
  await month.pass({ edits: [] });
  await month.pass({ edits: ['features'], trouble: 'the answer to the export is lost' });
  await month.pass({ edits: ['item'], trouble: 'the portal refuses everything' });
  await month.pass({ edits: [], trouble: 'the group has shrunk' });
  await month.pass({ edits: ['features'] });
  await month.pass({ edits: [], trouble: 'the group is empty' });
  await month.pass({ edits: [] });
  expect(month.mornings.map(({ record, problems }) => [record.status, problems])).toEqual(
    ['succeeded', 'succeeded', 'failed', 'partial', 'succeeded', 'nothing-to-do', 'nothing-to-do'].map(
      (status) => [status, []],
    ),
  );
  expect(month.mornings.at(-1)?.kept).toEqual(['2026-09-30', '2026-10-03']);
  const added = month.mornings.map(({ record }) => record.package?.sizeBytes ?? 0);
  const [first = 0, second = 0, , , fifth = 0] = added;
  expect(second + fifth).toBeLessThan(first / 2);
  expect(await month.judgeBytes()).toEqual([]);
});
