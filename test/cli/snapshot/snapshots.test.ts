import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { readLiveRows } from '../../../src/domain/snapshot/live-rows';
import { loadConfig } from '../../../src/config/load-config';
import { PortalPool } from '../../../src/config/portal-pool';
import type { SnapshotRow } from '../../../src/model/snapshot/snapshot';
import { releaseFrom } from '../../../src/portal/http/versions';
import { openSnapshots, type NewSnapshot, type Snapshots } from '../../../src/domain/snapshot/snapshots';
import { claimPackages } from '../../../src/domain/snapshot/packages';
import { transportGroupId } from '../../../src/simulator/seed/transport';
import { type Simulator, startSimulator } from '../../../src/simulator/simulator';
import { keys } from '../../../src/store/keys';
import { aRow, aSnapshot, sha256Of } from '../../domain/snapshot/a-store';
import { freeServerPort } from '../../support/free-port';
import { aFolder } from '../../support/folder';
import { typedIn } from '../../support/typed-in';

const folder = aFolder();
let portal: Simulator;
let snapshots: Snapshots;
let live: SnapshotRow[];

const inFolder = (name: string) => path.join(folder, name);
const { run, json, expectRun } = typedIn(() => folder);

/** A backup of a night of November, or something else that is like it. */
async function take(
  name: string,
  changes: Partial<NewSnapshot> = {},
  rows: readonly SnapshotRow[] = [aRow('a')],
) {
  const { id = `backup-transport-202611${name}T030000Z-k${name}x` } = changes;
  const key = keys.snapshotPackage(id, 0);
  const file = await snapshots.store.openPartial(key);
  const bytes = Buffer.from(`package of ${name}`);
  await file.restart();
  await file.append(
    (async function* () {
      yield bytes;
    })(),
  );
  await file.commit();
  const source = { ...aSnapshot.source, url: portal.url, groupId: transportGroupId };
  const made = { ...aSnapshot, id, runId: id, source, takenAt: `2026-11-${name}T03:00:00.000Z` };
  const packaged = { key, sizeBytes: bytes.length, sha256: sha256Of(bytes) };
  const snapshot = { ...made, package: packaged, ...changes };
  await snapshots.commit(snapshot, rows);
  return id;
}

function flip(key: string) {
  const bytes = readFileSync(inFolder(`store/${key}`));
  bytes.writeUInt8(bytes.readUInt8(bytes.length - 1) ^ 1, bytes.length - 1);
  writeFileSync(inFolder(`store/${key}`), bytes);
}

beforeAll(async () => {
  portal = await startSimulator({
    name: 'north',
    version: '11.4',
    seed: 'transport',
    state: inFolder('portal'),
  });
  const port = await freeServerPort();
  writeFileSync(inFolder('owner'), 'owner-pw\n');
  const auth = 'auth: { type: password, username: owner, password: { file: ./owner } }';
  const ends = (group: string) =>
    `source: { portal: staging, group: ${group} }, target: { portal: production, group: h }`;
  writeFileSync(
    inFolder('portolan.yaml'),
    `temporal: { address: "127.0.0.1:${port}" }
store: { path: ./store }
portals:
  staging: { url: "${portal.url}", ${auth} }
  production: { url: "http://127.0.0.1:1/portal/sharing/rest", ${auth} }
routes:
  transport: { ${ends(transportGroupId)}, backup: { keep: { last: 2, weekly: 9 }, maxAge: 36h } }
  water: { ${ends('g2')}, backup: { maxAge: 36h } }
`,
  );
  const config = loadConfig(inFolder('portolan.yaml'));
  snapshots = openSnapshots(config);
  const portals = new PortalPool(config);
  const rows = await readLiveRows(portals.open('staging'), transportGroupId, releaseFrom('11.4'));
  await portals.close();
  live = rows.map((row) => ({ ...row, saved: 'package' }));
});
afterAll(() => portal?.close());

describe('portolan snapshot', () => {
  it('lists snapshots, and the routes that are overdue', async () => {
    await expectRun(
      'snapshot list',
      0,
      /^No snapshots\.\n\nROUTE.*\ntransport {2}- +overdue, none +36h +never\n/,
    );
    for (const night of ['10', '11', '12', '18', '19'])
      await take(night, { tags: night === '10' ? ['x'] : [] });
    await take('20', { complete: false }, [aRow('a'), aRow('b', { saved: 'no', reason: 'excluded' })]);
    const safeguard = 'sync-transport-20261101T000000Z-sssx-safeguard-1';
    await take('01', { id: safeguard, runId: safeguard.replace('-safeguard-1', ''), kind: 'safeguard' });
    const proven = 'backup-transport-20261118T030000Z-k18x';
    const proof = { at: '2026-11-19T04:00:00.000Z', portal: 'scratch', runId: 'drill-1', items: 1 };
    await snapshots.prove(proven, { ...proof, level: 'previewed' });
    const { stdout, stderr } = await run('snapshot list');
    const lines = stdout.split('\n').filter((line) => line.startsWith('backup-'));
    expect(lines[0]).toMatch(
      /^backup-transport-20261120T030000Z-k20x {2}transport {2}\S+ +2026-11-20 03:00Z {2}1 of 2 {2}13 bytes {2}incomplete {2}-/,
    );
    expect(lines[2]).toMatch(/good {8}previewed 2026-11-19 04:00Z {2}-$/);
    expect(lines).toHaveLength(6);
    expect(stderr).toBe('note  safeguards are not listed; with them: portolan snapshot list --safeguards\n');
    expect(stdout).toMatch(
      /^transport .*overdue, 2026-11-19 03:00Z \(k19x\) {2}36h +2026-11-19 04:00Z \(k18x\), previewed on scratch$/m,
    );
    const { snapshots: all } = await json<{ snapshots: object[] }>('snapshot list --safeguards');
    expect(all).toHaveLength(7);
    expect((await json<{ snapshots: object[] }>('snapshot list --tag x')).snapshots).toHaveLength(1);
  });

  it('shows a snapshot by an end of its ID', async () => {
    await expectRun(
      'snapshot show k20x',
      0,
      /^snapshot +backup-transport-20261120T030000Z-k20x\nstate +incomplete\n/,
      /^b {5}Web Map {2}Map b {2}.*no: excluded$/m,
    );
    await expectRun('snapshot show nothing', 10);
    await expectRun('snapshot show x', 2);
  });

  it('names the damaged file of a snapshot', async () => {
    await expectRun('snapshot verify k10x latest', 0);
    const { package: named } = await snapshots.read('backup-transport-20261110T030000Z-k10x');
    flip(named?.key ?? '');
    const { stdout } = await expectRun(
      'snapshot verify --all',
      1,
      `\nbackup-transport-20261110T030000Z-k10x\nfile     ${named?.key}\nproblem  has sha256 `,
    );
    expect(stdout.match(/ ok$/gm)).toHaveLength(6);
    flip(named?.key ?? '');
    await expectRun('snapshot verify', 2);
  });

  it('compares two snapshots, or one with its group now', async () => {
    await expectRun(
      'snapshot diff k19x k20x',
      20,
      /^added {7}b {5}Web Map {2}Map b/m,
      /1 added, 1 without a difference\. .* Exit status 20\.\n$/,
    );
    await expectRun('snapshot diff k19x k20x --exit-code 0', 0);

    await take('21', {}, live);
    await expectRun(
      'snapshot diff k21x live',
      0,
      /^\n13 without a difference\. .*, not byte by byte\. The data of 1 item was not/,
    );
  });

  it('forgets what no rule keeps, with the reasons', async () => {
    await expectRun('snapshot pin k10x --reason "before the upgrade"', 0);
    await expectRun(
      'snapshot forget --route transport',
      2,
      /^keep .*k10x .* pinned: before the upgrade$/m,
      /^keep .*k18x .* last proven restorable of transport$/m,
      /^forget .*k20x .* incomplete, and a newer good one exists$/m,
      'This needs confirmation; nothing was forgotten.\n  To forget 2 snapshots, repeat the command with --yes.',
    );
    const stored = () =>
      readdirSync(inFolder('store'), { recursive: true, encoding: 'utf8' }).filter((file) =>
        file.endsWith('.epk'),
      );
    const dry = await run('snapshot forget --route transport --keep-daily 1 --dry-run --yes');
    expect([dry.status, stored().length]).toEqual([0, 8]);
    // Its run has recorded no end, and Temporal cannot be asked.
    expect(dry.stdout).toMatch(/^keep .*safeguard-1 .* safeguard of a run that may be open$/m);
    await expectRun(
      'snapshot forget --route transport --yes',
      0,
      /\nForgot 2 snapshots; removed 2 packages, 26 bytes\.\n$/,
    );
    expect(stored()).toHaveLength(6);
    await expectRun('snapshot forget k21x --yes', 1);
    await expectRun('snapshot forget k10x --yes', 1, 'SNAPSHOT_PINNED');
    await run('snapshot unpin k10x');
    await expectRun('snapshot forget k12x --yes', 0);
    await expectRun(
      'snapshot forget --route water',
      2,
      'error RETENTION_EMPTY  Route "water" has no backup.keep in ',
    );
    await expectRun('snapshot forget k10x --keep-last 1', 2);
  });

  it('shows what an incremental snapshot adds, and which packages stay for it', async () => {
    const rows = [aRow('a'), aRow('b'), aRow('c')];
    const all = await snapshots.read(await take('13', {}, rows));
    const id = 'backup-transport-20261114T030000Z-k14x';
    await claimPackages(snapshots, id, [{ of: all.id, package: all.package! }]);
    await take(
      '14',
      {
        more: [all.package!],
        since: {
          id: all.id,
          full: { id: all.id, at: all.createdAt },
          changed: 1,
          added: 1,
          removed: [{ itemId: 'c', type: 'CSV', title: 'Gone' }],
        },
      },
      [aRow('a', { package: 1 }), aRow('b', { title: 'Anew' })],
    );
    await expectRun('snapshot list', 0, /^backup-\S+k14x .* 26 bytes, \+13 bytes {2}good /m);
    await expectRun(
      'snapshot show k14x',
      0,
      /^package 1 {2}13 bytes, 1 item, sha256 /m,
      /^package 2 {2}13 bytes, 1 item, sha256 /m,
      /^parent {5}backup-\S+k13x: 1 item exported since, 1 removed$/m,
      /^a {5}Web Map .* package 2$/m,
    );
    await expectRun(
      'snapshot forget k13x --yes',
      0,
      new RegExp(`^${all.package!.sha256.slice(0, 12)}\\.\\. +13 bytes {2}${all.id} {2}${id}$`, 'm'),
      /removed 0 packages, 0 bytes\.\n$/,
    );
    await expectRun('snapshot verify k14x', 0);
  });

  it('lists a snapshot whose manifest was altered', async () => {
    flip(keys.snapshotManifest('backup-transport-20261110T030000Z-k10x'));
    await expectRun('snapshot list', 0, /^backup-transport-20261110T030000Z-k10x {2}SNAPSHOT_ALTERED {2}\S/m);
  });
});
