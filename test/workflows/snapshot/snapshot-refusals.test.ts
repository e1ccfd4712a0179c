import { randomBytes } from 'node:crypto';
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { resolveBackup, resolveRestore } from '../../../src/config/resolve-route';
import type { ErrorCode } from '../../../src/model/errors/error-codes';
import type { SnapshotManifest } from '../../../src/model/snapshot/snapshot';
import { emptyGroupId } from '../../../src/simulator/seed/seeds';
import { transportGroupId } from '../../../src/simulator/seed/transport';
import { openSnapshots } from '../../../src/domain/snapshot/snapshots';
import { verifySnapshot } from '../../../src/domain/snapshot/verify-snapshot';
import { keys } from '../../../src/store/keys';
import { type Ended, Rehearsal } from '../../support/rehearsal';
import { writesOn } from '../../support/writes';
import { signedStart } from '../../support/control';

let rehearsal: Rehearsal;
let manifest: SnapshotManifest;

const start = async (kind: string, input: Record<string, unknown>): Promise<Ended> => {
  const runId = `${kind}-transport-${randomBytes(6).toString('hex')}`;
  const { client } = rehearsal.temporal;
  const { taskQueue } = rehearsal.config.temporal;
  const given = { runId, startedBy: 'test', yes: true, tags: [], ...input };
  const args = [await signedStart(rehearsal.config, kind, given)];
  return await rehearsal.ended(await client.workflow.start(kind, { workflowId: runId, taskQueue, args }));
};
const restore = (to: string, into: string): Promise<Ended> => {
  const { portal, url, groupId } = manifest.source;
  const from = { name: 'transport', source: { portal, url, groupId } };
  const route = resolveRestore(rehearsal.config, from, { to, into, overwrite: true });
  return start('restore', { route, snapshotId: manifest.id });
};

beforeAll(async () => {
  rehearsal = await Rehearsal.open({
    source: { version: '11.4' },
    target: { version: '11.2', seed: 'empty' },
    groups: { source: transportGroupId, target: emptyGroupId },
  });
  const { record } = await start('backup', { route: resolveBackup(rehearsal.config, 'transport') });
  manifest = await openSnapshots(rehearsal.config).read(record.runId);
  cpSync(inStore(''), aside(), { recursive: true });
});
afterAll(() => rehearsal.close());

const inStore = (key: string): string => path.join(rehearsal.folder, 'store', key);
const aside = (): string => path.join(rehearsal.folder, 'aside');

/** Writes a file of the snapshot anew. */
const alter = (key: string, change: (text: string) => string): void =>
  writeFileSync(inStore(key), change(readFileSync(inStore(key), 'utf8')));
const inManifest = (change: (text: string) => string): void =>
  alter(keys.snapshotManifest(manifest.id), change);
const packageFile = (): string => inStore(manifest.package?.key ?? '');

interface Case {
  readonly title: string;
  readonly spoil?: () => void;
  /** @default back to where it came from */
  readonly to?: string;
  readonly code: ErrorCode;
  readonly says: RegExp;
}

const cases: readonly Case[] = [
  {
    title: 'an altered manifest',
    spoil: () => inManifest((text) => text.replace('"complete":true', '"complete":false')),
    code: 'SNAPSHOT_ALTERED',
    says: /manifest\.json in .* is not signed with the key of this store/,
  },
  {
    title: 'a manifest that is cut',
    spoil: () => inManifest((text) => text.slice(0, -20)),
    code: 'SNAPSHOT_ALTERED',
    says: /manifest\.json in .* is not a valid Portolan file/,
  },
  {
    title: 'altered rows',
    spoil: () => alter(manifest.rows.key, (text) => text.replace('"title":"', '"title":"Not ')),
    code: 'SNAPSHOT_ALTERED',
    says: /rows\.json in .* is not signed with the key of this store/,
  },
  {
    title: 'rows that are gone',
    spoil: () => rmSync(inStore(manifest.rows.key)),
    code: 'SNAPSHOT_ALTERED',
    says: /the rows of snapshot .* are missing/,
  },
  {
    title: 'a package with a flipped bit',
    spoil: () => {
      const bytes = readFileSync(packageFile());
      bytes.writeUInt8(bytes.readUInt8(bytes.length >> 1) ^ 1, bytes.length >> 1);
      writeFileSync(packageFile(), bytes);
    },
    code: 'SNAPSHOT_ALTERED',
    says: /has sha256 [0-9a-f]+, not [0-9a-f]+ as in its manifest/,
  },
  {
    title: 'a package that is cut',
    spoil: () => writeFileSync(packageFile(), readFileSync(packageFile()).subarray(0, -1)),
    code: 'SNAPSHOT_ALTERED',
    says: /has sha256/,
  },
  {
    title: 'a package that is gone',
    spoil: () => rmSync(packageFile()),
    code: 'PACKAGE_MISSING',
    says: /is missing from the store/,
  },
  {
    title: 'a manifest that is gone',
    spoil: () => rmSync(inStore(keys.snapshotManifest(manifest.id))),
    code: 'SNAPSHOT_NOT_FOUND',
    says: /no snapshot .* in the store/,
  },
  {
    title: 'a snapshot of a newer portal than the target',
    to: 'production',
    code: 'TARGET_OLDER',
    says: /production runs 11\.2, older than 11\.4/,
  },
];

describe('a restore is refused before anything is written on a portal', () => {
  it.each(cases)('of $title', async ({ spoil, to = 'staging', code, says }) => {
    const before = writesOn(rehearsal);
    spoil?.();
    try {
      const { record } = await restore(to, to === 'staging' ? transportGroupId : emptyGroupId);
      expect(record).toMatchObject({ status: 'failed', target: 'untouched', error: { code } });
      expect(record.error?.message).toMatch(says);
      expect(writesOn(rehearsal)).toEqual(before);
    } finally {
      rmSync(inStore('snapshots'), { recursive: true, force: true });
      cpSync(path.join(aside(), 'snapshots'), inStore('snapshots'), { recursive: true });
    }
  });

  it('and goes back to its own portal once the store is mended: nothing was lost', async () => {
    expect((await verifySnapshot(openSnapshots(rehearsal.config), manifest.id)).problems).toEqual([]);
    rehearsal.editSource();
    const { record } = await restore('staging', transportGroupId);
    expect(record).toMatchObject({ status: 'succeeded', target: 'changed', verification: { findings: [] } });
  });
});
