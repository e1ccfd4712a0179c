import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { resolveRestore } from '../../../src/config/resolve-route';
import type { RunRecord } from '../../../src/model/run/run';
import type { SnapshotManifest } from '../../../src/model/snapshot/snapshot';
import { emptyGroupId } from '../../../src/simulator/seed/seeds';
import { transportGroupId, transportItems } from '../../../src/simulator/seed/transport';
import { verifySnapshot } from '../../../src/domain/snapshot/verify-snapshot';
import { keys } from '../../../src/store/keys';
import { Site } from '../../support/site';

let at: Site;
let manifest: SnapshotManifest;
beforeAll(async () => {
  at = await Site.open({
    target: { seed: 'empty' },
    groups: { source: transportGroupId, target: emptyGroupId },
  });
  const route = { ...at.route({ items: [transportItems.csv, transportItems.roads] }), target: undefined };
  manifest = await at.snapshots.read((await at.backup({ route })).record.runId);
  cpSync(inStore(''), aside(), { recursive: true });
});
afterAll(() => at.close());

async function restored(): Promise<RunRecord> {
  const { portal, url, groupId } = manifest.source;
  const from = { name: manifest.route, source: { portal, url, groupId } };
  const where = { to: 'staging', into: transportGroupId, overwrite: true };
  const route = resolveRestore(at.config, from, where);
  const handle = await at.startRun('restore', { route, snapshotId: manifest.id });
  return (await at.ended(handle)).record;
}
const inStore = (key: string) => path.join(at.folder, 'store', key);
const aside = () => path.join(at.folder, 'aside');

/** Edits a file of the snapshot. */
const alter = (key: string, change: (text: string) => string) =>
  writeFileSync(inStore(key), change(readFileSync(inStore(key), 'utf8')));
const packageFile = () => inStore(manifest.package?.key ?? '');

const cases = [
  {
    title: 'its manifest was altered',
    spoil: () =>
      alter(keys.snapshotManifest(manifest.id), (text) =>
        text.replace('"complete":true', '"complete":false'),
      ),
    code: 'SNAPSHOT_ALTERED',
    says: /manifest\.json in .* is not signed with the key of this store/,
  },
  {
    title: 'its rows were altered',
    spoil: () => alter(manifest.rows.key, (text) => text.replace('"title":"', '"title":"Not ')),
    code: 'SNAPSHOT_ALTERED',
    says: /rows\.json in .* is not signed with the key of this store/,
  },
  {
    title: 'its rows are missing',
    spoil: () => rmSync(inStore(manifest.rows.key)),
    code: 'SNAPSHOT_ALTERED',
    says: /the rows of snapshot .* are missing/,
  },
  {
    title: 'a bit of its package was flipped',
    spoil: () => {
      const bytes = readFileSync(packageFile());
      bytes.writeUInt8(bytes.readUInt8(bytes.length >> 1) ^ 1, bytes.length >> 1);
      writeFileSync(packageFile(), bytes);
    },
    code: 'SNAPSHOT_ALTERED',
    says: /has sha256 [0-9a-f]+, not [0-9a-f]+ as in its manifest/,
  },
  {
    title: 'its package is missing',
    spoil: () => rmSync(packageFile()),
    code: 'PACKAGE_MISSING',
    says: /is missing from the store/,
  },
];

describe('a restore of a snapshot', () => {
  it.each(cases)('writes nothing when $title [P22]', async ({ spoil, code, says }) => {
    const before = at.writes();
    spoil();
    try {
      const record = await restored();
      expect(record).toMatchObject({ status: 'failed', target: 'untouched', error: { code } });
      expect(record.error?.message).toMatch(says);
      expect(at.writes()).toEqual(before);
    } finally {
      rmSync(inStore('snapshots'), { recursive: true, force: true });
      cpSync(path.join(aside(), 'snapshots'), inStore('snapshots'), { recursive: true });
    }
  });

  it('succeeds into its own portal once its store is whole again', async () => {
    expect((await verifySnapshot(at.snapshots, manifest.id)).problems).toEqual([]);
    at.editSource();
    expect(await restored()).toMatchObject({
      status: 'succeeded',
      target: 'changed',
      verification: { findings: [] },
    });
  });
});
