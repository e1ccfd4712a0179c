import path from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { keys } from '../../../src/store/keys';
import { LocalStore } from '../../../src/store/local/local-store';
import { jsonOf } from '../../support/json';
import { aStoreAlone } from './a-store-alone';
import { planOf, runRecordOf } from './records';
import { expectRefused } from '../../support/in-process';
import { typedIn } from '../../support/typed-in';

const { folder, store, put } = aStoreAlone();
const [spoilt, whole] = ['sync-transport-20261121T011200Z-aaaa', 'sync-transport-20261121T011200Z-bbbb'];
/** The store as somebody sees it who has not its key. */
const writer = new LocalStore(path.join(folder, 'store'));

const { run, expectRun } = typedIn(() => folder);
const unmarked = async (key: string) => {
  const written = await writer.readJson(key, z.looseObject({}));
  await writer.writeJson(key, { ...written, mac: '0'.repeat(64) });
};
const said = (key: string) => `${key} in ${writer.where} is not signed with the key of this store`;

beforeAll(async () => {
  const { plan } = runRecordOf();
  if (!plan) throw new Error('the record has no plan');
  for (const runId of [spoilt, whole]) await put({ runId, plan: { ...plan, ref: keys.plan(runId, 1) } });
  await store.writeJson(keys.plan(whole, 1), planOf());
  await unmarked(keys.record(spoilt));
});

it('a record without a valid signature is not listed, which a note says', async () => {
  const words = `note  1 record not trusted: ${said(keys.record(spoilt))}\n`;
  const listed = await expectRun('run list -o json', 0, words);
  expect(jsonOf(listed)).toMatchObject([{ runId: whole }]);
});

describe('a plan without a valid signature', () => {
  it('is shown in the figures of its run, without rows', async () => {
    await expectRun(`run show ${whole} --plan`, 0);
    await unmarked(keys.plan(whole, 1));
    const shown = await expectRun(`run show ${whole}`, 0);
    expect(shown.stdout.replaceAll(/ +/g, ' ')).toContain(
      `note cannot show the rows of the plan: ${said(keys.plan(whole, 1))}`,
    );
    await expectRefused(run(`run show ${whole} --plan`), 1, 'NOTE_ALTERED');
  });
});
