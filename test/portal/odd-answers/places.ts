import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';
import { fetchPackage } from '../../../src/activities/transfer/downloads';
import { sealKey, pollJob } from '../../../src/activities/transfer/jobs';
import { addPackageItem, addPart } from '../../../src/portal/resources/items/add-item';
import type { Portal } from '../../../src/portal/client';
import { exportGroup } from '../../../src/portal/resources/group-export';
import { readItem } from '../../../src/portal/resources/items/items';
import type { CallOptions } from '../../../src/portal/http/request';
import { releaseFrom } from '../../../src/portal/http/versions';
import { LocalStore } from '../../../src/store/local/local-store';
import { testControl } from '../../support/control';

/** A call that meets answers. */
export interface Place {
  readonly title: string;
  /** Path of the call below /portal/sharing/rest. */
  readonly path: string;
  readonly call: (portal: Portal, options: CallOptions) => Promise<unknown>;
}

export const PACKAGE = Buffer.from('a package of this many bytes');
const packageFile = { size: PACKAGE.length, open: () => Readable.from([PACKAGE]) };
const version = releaseFrom('11.3');

export const JOB_KEY = 'job-key-not-to-be-seen';

const pollOf = (name: 'export' | 'import', title: string): Place => ({
  title,
  path: 'portals/p/jobs/j',
  call: (portal) => {
    const deps = {
      portals: { open: () => portal, urlOf: () => undefined, isScratch: () => false },
      store: new LocalStore(os.tmpdir()),
      openControl: async () => testControl,
    };
    const times = { startedAt: Date.now() - 120_000, deadlineAt: Date.now() - 1 };
    const sealedKey = sealKey(testControl, 'r', JOB_KEY);
    const maker = { name: 'staging', username: 'sync' };
    const ofRun = { runId: 'r', portal: 'staging', portalId: 'p', maker, name, packageIndex: 0 };
    const job = { ...ofRun, jobId: 'j', sealedKey, ...times };
    return new MockActivityEnvironment({}, { logger: new DefaultLogger('ERROR') }).run(() =>
      pollJob(deps, job),
    );
  },
});

export const places = {
  read: {
    title: 'a read',
    path: 'content/items/i1',
    call: (portal, options) => readItem(portal, 'i1', options),
  },
  write: {
    title: 'an export',
    path: 'community/groups/g/export',
    call: (portal, options) => exportGroup(portal, 'g', { async: true, version }, options),
  },
  upload: {
    title: 'an upload',
    path: 'content/users/sync/addItem',
    call: (portal, options) =>
      addPackageItem(
        portal,
        { username: 'sync', title: 'p', tags: [], filename: 'p.epk', version, file: packageFile },
        options,
      ),
  },
  part: {
    title: 'a part of an upload',
    path: 'content/users/sync/items/i1/addPart',
    call: (portal, options) =>
      addPart(portal, { username: 'sync', itemId: 'i1', partNum: 1, file: packageFile }, options),
  },
  download: {
    title: 'a download',
    path: 'content/items/i1/data',
    call: async (portal, { signal = AbortSignal.timeout(60_000) }) => {
      const folder = await mkdtemp(path.join(os.tmpdir(), 'portolan-odd-'));
      try {
        const partial = await new LocalStore(folder).openPartial('packages/p');
        const sizes = { declared: PACKAGE.length, atMost: 1_000_000 };
        return await fetchPackage(portal, partial, { itemId: 'i1', ...sizes, signal, onBytes: () => {} });
      } finally {
        await rm(folder, { recursive: true });
      }
    },
  },
  poll: pollOf('import', 'a poll of a job'),
  exportPoll: pollOf('export', "a poll of an export's job"),
  signIn: {
    title: 'a sign-in',
    path: 'generateToken',
    call: (portal, options) => readItem(portal, 'i1', options),
  },
} as const satisfies Record<string, Place>;

export type PlaceName = keyof typeof places;

export const placeOf = (name: PlaceName): Place => places[name];
