import { afterEach, describe, expect, it } from '@jest/globals';
import type { FaultRule } from '../../../src/simulator/faults';
import { Rehearsal } from '../../support/rehearsal';
import { rulesOf, syncsOf, type Way } from './ways';

let rehearsal: Rehearsal;
afterEach(() => rehearsal.close());

const askedForPreview = { operation: 'group.import', params: { previewOnly: 'true' } };
const placing = { packageFolder: 'Exports', itemCallsInFolder: true };
const notReady: FaultRule = {
  match: askedForPreview,
  times: 2,
  do: { error: { code: 400, message: 'The package is not ready.' } },
};
const removalFails: FaultRule = {
  match: { operation: 'item.delete' },
  times: 2,
  do: { error: { code: 500, message: 'Unable to delete item.' } },
};
const lacking = { noItemStatus: true, notFoundPages: true };
const lostAddItem = { match: { operation: 'item.add' }, nth: 1, when: 'after', do: 'reset' } as const;

const endingWith = (word: string) => ({ finalStatus: { export: word, import: word } });

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
  {
    how: 'answer an error for the data of what has none',
    options: { source: { noData: 'error' }, target: { noData: 'absent' } },
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
  {
    how: 'hold a file name once in a folder, and keep services that have views',
    options: {
      source: { uniqueFileNames: true, relatedServicesHold: true },
      target: { uniqueFileNames: true, relatedServicesHold: true },
    },
    sync: 2,
  },
  { how: 'prepare the preview for a while', options: { target: { previewLagMs: 500 } }, sync: 2 },
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
    sync: 2,
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
    how: 'end jobs with "succeeded" and "SUCCEEDED"',
    options: { source: endingWith('succeeded'), target: endingWith('SUCCEEDED') },
    sync: 1,
  },
  {
    how: 'end jobs with "Complete" and "COMPLETED"',
    options: { source: endingWith('Complete'), target: endingWith('COMPLETED') },
    sync: 2,
  },
  {
    how: 'put packages into a folder of their own, in release 11.2',
    options: { source: { version: '11.2', ...placing }, target: placing },
    sync: 1,
  },
  {
    how: 'put packages into a folder of their own, in release 11.3',
    options: { source: { version: '11.3', ...placing }, target: placing },
    sync: 2,
  },
  {
    how: 'have no status of uploads, and answer a page that there is none',
    options: { fullSize: true, source: lacking, target: lacking },
    sync: 2,
    isLong: true,
  },
  {
    how: 'export within the request, and answer it by HTTP 400',
    options: { source: { exportAtOnce: true } },
    sync: 3,
  },
  {
    how: 'need to be asked for the preview until the package is ready for it',
    options: { target: { faults: { rules: [notReady] } } },
    sync: 3,
  },
  {
    how: 'fail to remove a package at first',
    options: { source: { faults: { rules: [removalFails] } }, target: { faults: { rules: [removalFails] } } },
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
    isLong: true,
  },
];

/** How often a portal played a fault in an operation. */
const played = (portal: 'source' | 'target', { operation }: FaultRule['match']): number =>
  rehearsal[portal].requests().filter((request) => request.operation === operation && request.fault).length;

describe('a sync between portals that speak the interface in other ways', () => {
  it.each(syncsOf(ways))('succeeds where they $how', async ({ options }) => {
    rehearsal = await Rehearsal.open(options);
    const { record } = await rehearsal.sync();
    expect(record.error).toBeUndefined();
    expect(['succeeded', 'partial']).toContain(record.status);
    expect(record.verification?.findings).toEqual([]);
    expect(record.warnings.join()).not.toMatch(/tagged|still on/);
    expect(rehearsal.packages()).toEqual([]);
    expect(rehearsal.source.requests().filter(({ operation }) => operation === 'group.export')).toHaveLength(
      1,
    );
    for (const portal of ['source', 'target'] as const)
      for (const { match, times = 1 } of rulesOf(options[portal]))
        expect(played(portal, match)).toBeGreaterThanOrEqual(times);
  });
});
