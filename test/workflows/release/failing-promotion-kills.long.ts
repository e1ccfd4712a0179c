import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { emptyGroupId } from '../../../src/simulator/seed/seeds';
import { appsGroupId, type Moment, roadIds, StageSite } from './killed-stage';

const importInto = (groupId: string) => ({
  match: { operation: 'group.import', path: groupId, params: { previewOnly: 'false' } },
});

/** Where the rollback is when its worker is killed; the promotion itself has asked for the first of each. */
const moments = {
  'it has begun': {
    with: 'server',
    isThere: (_, { phases }) =>
      phases.some(({ name, status }) => name === 'rollback' && status === 'running'),
  },
  'the categories of before are back': {
    held: { match: { operation: 'categorySchema.assign' }, nth: 2, when: 'after' },
  },
  'the import back into its last group is taken': {
    with: 'server',
    held: { ...importInto(appsGroupId), nth: 2, when: 'after' },
  },
  'the import back into its first group is asked for': {
    held: { ...importInto(emptyGroupId), nth: 2, when: 'before' },
  },
  'what it created in its first group is removed': {
    with: 'portal',
    held: { match: { operation: 'item.delete', path: roadIds[1] }, when: 'after' },
  },
} as const satisfies Record<string, Moment>;

let site: StageSite;
let before: unknown;
beforeAll(async () => {
  site = await StageSite.open({ onFailure: 'rollback' });
  await site.release();
  before = await site.stage();
  site.check(1);
});
afterAll(() => site.close());

describe('the rollback of a failed promotion, whose worker is killed when', () => {
  it.each(Object.keys(moments) as (keyof typeof moments)[])(
    '%s, imports each group back once, and the stage is as it was before',
    async (moment) => {
      const record = await site.killAt(moments[moment], ['promote', 'transport', '--to', 'live']);
      expect(record).toMatchObject({ status: 'failed', error: { code: 'CHECK_FAILED' } });
      expect(record.error?.message).toMatch(/; the stage was rolled back$/);
      expect(site.imports().sort()).toEqual(['apps', 'apps', 'roads', 'roads']);
      expect(await site.stage()).toEqual(before);
      const own = (await site.entries()).filter(({ runId }) => runId === record.runId);
      expect(own.map(({ kind, status }) => `${kind} ${status}`).sort()).toEqual([
        'promoted failed',
        'rolled-back verified',
      ]);
      expect(await site.packages()).toEqual([]);
      expect(await site.workingFiles(record)).toEqual([]);
    },
  );
});
