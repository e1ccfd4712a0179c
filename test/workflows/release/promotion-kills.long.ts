import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { emptyGroupId } from '../../../src/simulator/seed/seeds';
import type { RunRecord } from '../../../src/model/run/run';
import { appIds, appsGroupId, type Moment, roadIds, StageSite } from './killed-stage';

const importInto = (groupId: string, previewOnly = 'false') => ({
  match: { operation: 'group.import', path: groupId, params: { previewOnly } },
});
const since = importInto(appsGroupId).match;

/** Where a promotion is when its worker is killed. */
const moments = {
  'its groups are planned, and it waits for a yes': { with: 'server', unanswered: true },
  'it was approved': { isThere: () => true },
  'its first group is planned again, and its second is not': {
    with: 'server',
    held: { ...importInto(appsGroupId, 'true'), when: 'before' },
  },
  'the package of its first group is up': {
    held: { match: { operation: 'item.add' }, nth: 3, when: 'after' },
  },
  'what is overwritten in its first group is being saved': {
    with: 'server',
    held: { match: { operation: 'group.export' }, nth: 1, when: 'after' },
  },
  'the import of its first group is asked for': { held: { ...importInto(emptyGroupId), when: 'before' } },
  'the import of its first group is taken': {
    with: 'server',
    held: { ...importInto(emptyGroupId), when: 'after' },
  },
  'its first group is imported, and its second is not': {
    held: { ...importInto(appsGroupId, 'true'), nth: 2, when: 'before' },
  },
  'the import of its second group is taken': {
    with: 'portal',
    held: { ...importInto(appsGroupId), when: 'after' },
  },
  'what was replaced gets back where it stood': {
    held: { match: { operation: 'item.move' }, since, when: 'after' },
  },
  'it maps an item': {
    with: 'server',
    held: { match: { operation: 'item.update', path: appIds[0] }, since, when: 'after' },
  },
  'what it created is given to its owner': {
    with: 'portal',
    held: { match: { operation: 'item.reassign', path: appIds[1] }, when: 'after' },
  },
  'the portal has taken its settings': {
    with: 'portal',
    held: { match: { operation: 'settings.update' }, when: 'after' },
  },
  'the portal has taken its categories': {
    with: 'server',
    held: { match: { operation: 'categorySchema.assign' }, when: 'after' },
  },
  'the stage is checked': { with: 'server', holdsCheck: true, isThere: (site) => site.checkBegan },
  'all is done, and is still to be noted': {
    with: 'server',
    heldAfterCheck: { match: { operation: 'group.content' }, when: 'after' },
  },
} as const satisfies Record<string, Moment>;

/** The same of its rollback. */
const momentsBack = {
  'its yes was given': { with: 'server', isThere: () => true },
  'the categories of before are back': {
    held: { match: { operation: 'categorySchema.assign' }, when: 'after' },
  },
  'the settings of before are back': {
    with: 'server',
    held: { match: { operation: 'settings.update' }, when: 'after' },
  },
  'what its last group held is up': { held: { match: { operation: 'item.add' }, nth: 1, when: 'after' } },
  'the import back into its last group is asked for': {
    held: { ...importInto(appsGroupId), when: 'before' },
  },
  'the import back into its last group is taken': {
    with: 'portal',
    held: { ...importInto(appsGroupId), when: 'after' },
  },
  'what it created in its last group is removed': {
    held: { match: { operation: 'item.delete', path: appIds[1] }, when: 'after' },
  },
  'its last group is back, and its first is not': {
    held: { ...importInto(emptyGroupId, 'true'), when: 'before' },
  },
  'the import back into its first group is taken': {
    with: 'server',
    held: { ...importInto(emptyGroupId), when: 'after' },
  },
  'what it created in its first group is removed': {
    with: 'portal',
    held: { match: { operation: 'item.delete', path: roadIds[1] }, when: 'after' },
  },
  'a folder that it made is removed': {
    with: 'server',
    held: { match: { operation: 'folder.delete' }, when: 'after' },
  },
} as const satisfies Record<string, Moment>;

const promote = ['promote', 'transport', '--to', 'live'];
const rollback = ['promote', 'rollback', 'transport', 'live'];

let site: StageSite;
let before: unknown;
let promoted: unknown;
const ended = ({ status, error, warnings, parked }: RunRecord) => ({ status, error, warnings, parked });
const well = { status: 'succeeded', error: undefined, warnings: [], parked: undefined };

beforeAll(async () => {
  site = await StageSite.open();
  await site.release();
  before = await site.stage();
  expect(ended(await site.killAt(undefined, promote))).toEqual(well);
  promoted = await site.stage();
  expect(ended(await site.killAt(undefined, rollback))).toEqual(well);
  expect(await site.stage()).toEqual(before);
});
afterAll(() => site.close());

async function expectIn(record: RunRecord, kind: 'promoted' | 'rolled-back', stage: unknown): Promise<void> {
  expect(ended(record)).toEqual(well);
  expect(site.imports().sort()).toEqual(['apps', 'roads']);
  expect(await site.stage()).toEqual(stage);
  const own = (await site.entries()).filter(({ runId }) => runId === record.runId);
  expect(own).toEqual([expect.objectContaining({ kind, status: 'verified' })]);
  expect(await site.packages()).toEqual([]);
  expect(await site.workingFiles(record)).toEqual([]);
}

describe('a promotion of groups, settings and categories, whose worker is killed when', () => {
  it.each(Object.keys(moments) as (keyof typeof moments)[])(
    '%s, imports each group once, and the stage is as the release holds it [P01][P12]',
    async (moment) => {
      const record = await site.killAt(moments[moment], promote);
      await expectIn(record, 'promoted', promoted);
      expect(ended(await site.killAt(undefined, rollback))).toEqual(well);
    },
  );
});

describe('the rollback of a promotion, whose worker is killed when', () => {
  it.each(Object.keys(momentsBack) as (keyof typeof momentsBack)[])(
    '%s, imports each group back once, and the stage is as it was before',
    async (moment) => {
      expect(ended(await site.killAt(undefined, promote))).toEqual(well);
      const record = await site.killAt(momentsBack[moment], rollback);
      await expectIn(record, 'rolled-back', before);
    },
  );
});
