import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
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
import type { Ended } from '../../support/child';
import { freeServerPort } from '../../support/free-port';
import { inProcess, said } from '../../support/in-process';
import { jsonOf } from '../../support/json';

let folder: string;
let portal: Simulator;
let snapshots: Snapshots;
let live: SnapshotRow[];

const inFolder = (name: string): string => path.join(folder, name);
const run = (...args: string[]): Promise<Ended> => inProcess(['snapshot', ...args], { cwd: inFolder('.') });
const json = async <T>(...args: string[]): Promise<T> => jsonOf<T>(await run(...args, '-o', 'json'));

/** A backup of a night of November, or something else that is like it. */
async function take(
  name: string,
  changes: Partial<NewSnapshot> = {},
  rows: readonly SnapshotRow[] = [aRow('a')],
): Promise<string> {
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

function flip(key: string): void {
  const bytes = readFileSync(inFolder(`store/${key}`));
  bytes.writeUInt8(bytes.readUInt8(bytes.length - 1) ^ 1, bytes.length - 1);
  writeFileSync(inFolder(`store/${key}`), bytes);
}

beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'portolan-snapshots-'));
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
afterAll(async () => {
  await portal?.close();
  rmSync(folder, { recursive: true, force: true });
});

describe('portolan snapshot', () => {
  it('lists snapshots, and the routes that are overdue', async () => {
    expect((await run('list')).stdout).toMatch(
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
    const { stdout, stderr } = await run('list');
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
    const { snapshots: all } = await json<{ snapshots: object[] }>('list', '--safeguards');
    expect(all).toHaveLength(7);
    expect((await json<{ snapshots: object[] }>('list', '--tag', 'x')).snapshots).toHaveLength(1);
  });

  it('shows a snapshot by an end of its ID', async () => {
    const { status, stdout } = await run('show', 'k20x');
    expect(status).toBe(0);
    expect(stdout).toMatch(/^snapshot +backup-transport-20261120T030000Z-k20x\nstate +incomplete\n/);
    expect(stdout).toMatch(/^b {5}Web Map {2}Map b {2}.*no: excluded$/m);
    expect(await run('show', 'nothing')).toMatchObject({ status: 10 });
    expect(await run('show', 'x')).toMatchObject({ status: 2 });
  });

  it('names the damaged file of a snapshot', async () => {
    expect(await run('verify', 'k10x', 'latest')).toMatchObject({ status: 0 });
    const { package: named } = await snapshots.read('backup-transport-20261110T030000Z-k10x');
    flip(named?.key ?? '');
    const { status, stdout } = await run('verify', '--all');
    expect(status).toBe(1);
    expect(stdout).toContain(
      `\nbackup-transport-20261110T030000Z-k10x\nfile     ${named?.key}\nproblem  has sha256 `,
    );
    expect(stdout.match(/ ok$/gm)).toHaveLength(6);
    flip(named?.key ?? '');
    expect(await run('verify')).toMatchObject({ status: 2 });
  });

  it('compares two snapshots, or one with its group now', async () => {
    const { status, stdout, stderr } = await run('diff', 'k19x', 'k20x');
    expect(status).toBe(20);
    expect(stdout).toMatch(/^added {7}b {5}Web Map {2}Map b/m);
    expect(stderr).toMatch(/1 added, 1 without a difference\. .* Exit status 20\.\n$/);
    expect(await run('diff', 'k19x', 'k20x', '--exit-code', '0')).toMatchObject({ status: 0 });

    await take('21', {}, live);
    expect(await run('diff', 'k21x', 'live')).toMatchObject(
      said(0, /^\n13 without a difference\. .*, not byte by byte\. The data of 1 item was not/),
    );
  });

  it('forgets what no rule keeps, with the reasons', async () => {
    expect(await run('pin', 'k10x', '--reason', 'before the upgrade')).toMatchObject({ status: 0 });
    const unattended = await run('forget', '--route', 'transport');
    expect(unattended.status).toBe(2);
    expect(unattended.stdout).toMatch(/^keep .*k10x .* pinned: before the upgrade$/m);
    expect(unattended.stdout).toMatch(/^keep .*k18x .* last proven restorable of transport$/m);
    expect(unattended.stdout).toMatch(/^forget .*k20x .* incomplete, and a newer good one exists$/m);
    expect(unattended.stderr).toContain(
      'This needs confirmation; nothing was forgotten.\n  To forget 2 snapshots, repeat the command with --yes.',
    );
    const stored = (): string[] =>
      readdirSync(inFolder('store'), { recursive: true, encoding: 'utf8' }).filter((file) =>
        file.endsWith('.epk'),
      );
    const dry = await run('forget', '--route', 'transport', '--keep-daily', '1', '--dry-run', '--yes');
    expect([dry.status, stored().length]).toEqual([0, 8]);
    // Its run has recorded no end, and Temporal cannot be asked.
    expect(dry.stdout).toMatch(/^keep .*safeguard-1 .* safeguard of a run that may be open$/m);
    const done = await run('forget', '--route', 'transport', '--yes');
    expect(done.status).toBe(0);
    expect(done.stdout).toMatch(/\nForgot 2 snapshots; removed 2 packages, 26 bytes\.\n$/);
    expect(stored()).toHaveLength(6);
    expect(await run('forget', 'k21x', '--yes')).toMatchObject({ status: 1 });
    expect(await run('forget', 'k10x', '--yes')).toMatchObject(said(1, 'SNAPSHOT_PINNED'));
    await run('unpin', 'k10x');
    expect(await run('forget', 'k12x', '--yes')).toMatchObject({ status: 0 });
    expect(await run('forget', '--route', 'water')).toMatchObject(
      said(2, 'error RETENTION_EMPTY  Route "water" has no backup.keep in '),
    );
    expect(await run('forget', 'k10x', '--keep-last', '1')).toMatchObject({ status: 2 });
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
    expect((await run('list')).stdout).toMatch(/^backup-\S+k14x .* 26 bytes, \+13 bytes {2}good /m);
    const { stdout } = await run('show', 'k14x');
    expect(stdout).toMatch(/^package 1 {2}13 bytes, 1 item, sha256 /m);
    expect(stdout).toMatch(/^package 2 {2}13 bytes, 1 item, sha256 /m);
    expect(stdout).toMatch(/^parent {5}backup-\S+k13x: 1 item exported since, 1 removed$/m);
    expect(stdout).toMatch(/^a {5}Web Map .* package 2$/m);
    const { stdout: forgot } = await run('forget', 'k13x', '--yes');
    expect(forgot).toMatch(
      new RegExp(`^${all.package!.sha256.slice(0, 12)}\\.\\. +13 bytes {2}${all.id} {2}${id}$`, 'm'),
    );
    expect(forgot).toMatch(/removed 0 packages, 0 bytes\.\n$/);
    expect(await run('verify', 'k14x')).toMatchObject({ status: 0 });
  });

  it('lists a snapshot whose manifest was altered', async () => {
    flip(keys.snapshotManifest('backup-transport-20261110T030000Z-k10x'));
    const { stdout, status } = await run('list');
    expect(status).toBe(0);
    expect(stdout).toMatch(/^backup-transport-20261110T030000Z-k10x {2}SNAPSHOT_ALTERED {2}\S/m);
  });
});
