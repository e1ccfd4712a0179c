import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { stringify } from 'yaml';
import { z } from 'zod';
import { loadConfig } from '../../../src/config/load-config';
import { indexRun } from '../../../src/domain/run/run-index';
import { keys } from '../../../src/store/keys';
import { LocalStore } from '../../../src/store/local/local-store';
import { openStore } from '../../../src/store/open-store';
import type { Store } from '../../../src/store/store';
import type { Ended } from '../../support/child';
import { inProcess } from '../../support/in-process';
import { planOf, runRecordOf } from './records';

const folder = mkdtempSync(path.join(tmpdir(), 'portolan-altered-'));
const [spoilt, whole] = ['sync-transport-20261121T011200Z-aaaa', 'sync-transport-20261121T011200Z-bbbb'];
let store: Store;
/** The store as somebody sees it who has not its key. */
const writer = new LocalStore(path.join(folder, 'store'));

const typed = (...args: string[]): Promise<Ended> => inProcess(['run', ...args], { cwd: folder });
const unmarked = async (key: string): Promise<void> => {
  const written = await writer.readJson(key, z.looseObject({}));
  await writer.writeJson(key, { ...written, mac: '0'.repeat(64) });
};
const said = (key: string): string => `${key} in ${writer.where} is not signed with the key of this store`;

beforeAll(async () => {
  const file = path.join(folder, 'portolan.yaml');
  // Nobody listens there: the store alone answers.
  writeFileSync(
    file,
    stringify({ temporal: { address: '127.0.0.1:9' }, store: { path: writer.where }, portals: {} }),
  );
  store = openStore(loadConfig(file));
  const { plan } = runRecordOf();
  if (!plan) throw new Error('the record has no plan');
  for (const runId of [spoilt, whole]) {
    const record = runRecordOf({ runId, plan: { ...plan, ref: keys.plan(runId, 1) } });
    await indexRun(store, record);
    await store.writeJson(keys.record(runId), record);
  }
  await store.writeJson(keys.plan(whole, 1), planOf());
  await unmarked(keys.record(spoilt));
});
afterAll(() => rmSync(folder, { recursive: true }));

describe('a record without a valid signature', () => {
  it('is not listed, which a note says', async () => {
    const { status, stdout, stderr } = await typed('list', '-o', 'json');
    expect([status, (JSON.parse(stdout) as { runId: string }[]).map(({ runId }) => runId)]).toEqual([
      0,
      [whole],
    ]);
    expect(stderr).toContain(`note  1 record not trusted: ${said(keys.record(spoilt))}\n`);
  });
});

describe('a plan without a valid signature', () => {
  it('is shown in the figures of its run, without rows', async () => {
    expect((await typed('show', whole, '--plan')).status).toBe(0);
    await unmarked(keys.plan(whole, 1));
    const shown = await typed('show', whole);
    expect(shown.status).toBe(0);
    expect(shown.stdout.replaceAll(/ +/g, ' ')).toContain(
      `note cannot show the rows of the plan: ${said(keys.plan(whole, 1))}`,
    );
    const rows = await typed('show', whole, '--plan');
    expect([rows.status, rows.stdout]).toEqual([1, '']);
    expect(rows.stderr).toContain(`NOTE_ALTERED`);
  });
});
