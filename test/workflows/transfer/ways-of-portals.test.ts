import { afterEach, describe, expect, it } from '@jest/globals';
import { Rehearsal } from '../../support/rehearsal';
import { rulesOf, syncsOf, type Way } from './ways';

let rehearsal: Rehearsal;
afterEach(() => rehearsal.close());

const askedForPreview = { operation: 'group.import', params: { previewOnly: 'true' } };
const lostAddItem = { match: { operation: 'item.add' }, nth: 1, when: 'after', do: 'reset' } as const;
const played = expect.objectContaining({ fault: expect.any(String) });

const ways: readonly Way[] = [
  {
    how: 'answer no field beyond the interface',
    options: { source: { strict: true }, target: { strict: true } },
    sync: 1,
  },
  {
    how: 'redirect item data to another server',
    options: { source: { redirect: true }, target: { redirect: true } },
    sync: 1,
  },
  { how: 'page the preview by its own id', options: { target: { previewId: 'summary' } }, sync: 1 },
  {
    how: 'know no Range and tell no length',
    options: { source: { noRange: true, noLength: true }, target: { noRange: true, noLength: true } },
    sync: 2,
  },
  {
    how: 'list skipped and failed items as plain strings',
    options: { source: { entryShape: 'string' }, target: { entryShape: 'string' } },
    sync: 2,
  },
  { how: 'prepare the preview for a while', options: { target: { previewLagMs: 3000 } }, sync: 2 },
  {
    how: 'tell their version in one scheme only',
    options: { source: { noEnterpriseVersion: true }, target: { noEnterpriseVersion: true } },
    sync: 2,
  },
  {
    how: 'are administered by whoever signs in',
    options: { user: { username: 'admin', password: 'admin-pw' } },
    sync: 3,
  },
  {
    how: 'put the lists into the result of the export too',
    options: { source: { exportLists: true } },
    sync: 3,
  },
  {
    how: 'answer a page to the request for a preview',
    options: { target: { faults: { rules: [{ match: askedForPreview, when: 'after', do: 'html' }] } } },
    sync: 2,
  },
  {
    how: 'put imported items into a folder of their own choice',
    options: { target: { importFolder: 'Exports' } },
    sync: 3,
  },
  {
    how: 'are the first version that has group export',
    options: { source: { version: '10.8.1' }, target: { version: '10.8.1' } },
    sync: 4,
  },
  {
    how: 'list no upload before its commit, and lose the answer that begins it',
    options: { fullSize: true, target: { hidePartial: true, faults: { rules: [lostAddItem] } } },
    sync: 4,
  },
];

describe('a sync between portals that speak the interface in other ways', () => {
  it.each(syncsOf(ways))('succeeds where they $how', async ({ options }) => {
    rehearsal = await Rehearsal.open(options);
    const { record } = await rehearsal.sync();
    expect(record.error).toBeUndefined();
    expect(['succeeded', 'partial']).toContain(record.status);
    expect(record.verification?.findings).toEqual([]);
    expect(rehearsal.packages()).toEqual([]);
    if (rulesOf(options.target).length > 0) expect(rehearsal.target.requests()).toContainEqual(played);
  });
});
