import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { resolvePromotion } from '../../../src/config/resolve-pipeline';
import { openSnapshots } from '../../../src/domain/snapshot/snapshots';
import type { PromotionInput } from '../../../src/model/release/promotion-input';
import type { PromotionEntry } from '../../../src/model/release/promotion';
import { type RunRecord } from '../../../src/model/run/run';
import type { FaultRule } from '../../../src/simulator/faults';
import { SeedBuilder } from '../../../src/simulator/seed/build';
import { emptyGroupId } from '../../../src/simulator/seed/seeds';
import { appsGroupId, openPipeline } from '../../cli/promotion/a-pipeline';
import { importPost, type Site } from '../../support/site';
import { until } from '../../support/until';
import { portrait } from '../snapshot/portrait';
import { jsonOf } from '../../support/json';
import { typedIn } from '../../support/typed-in';

/** An item of the pipeline that the stage has already. */
const there = 'c0000000000000000000000000000001';

let site: Site;
const { run, recordOf, shown } = typedIn(() => site.folder);
const promote = (...args: string[]) => recordOf('promote', 'transport', '--to', 'staging', '--yes', ...args);
const rollback = (...args: string[]) =>
  recordOf('promote', 'rollback', 'transport', 'staging', '--yes', ...args);
const entriesOf = async (runId: string): Promise<Partial<PromotionEntry>[]> => {
  const history = await run('promote', 'history', 'transport', '-o', 'json');
  const { entries } = jsonOf<{ entries: PromotionEntry[] }>(history);
  return entries.filter((each) => each.runId === runId).map(({ kind, status }) => ({ kind, status }));
};
const verified = async () => {
  const status = await run('promote', 'status', 'transport', '-o', 'json');
  const { stages } = jsonOf<{ stages: { name: string; verified?: string }[] }>(status);
  return stages.find(({ name }) => name === 'staging')?.verified;
};
/** Does something while the portal of the stage holds a request back. */
async function whileHeld(rule: Omit<FaultRule, 'do'>, begin: () => Promise<RunRecord>): Promise<RunRecord> {
  const { faults } = site.target;
  faults.add({ ...rule, do: 'hold' });
  const { runId } = await begin();
  await until('the request to be held', () => faults.holding > 0);
  await run('run', 'cancel', runId);
  await shown(runId, ({ actions = [] }) => actions.some(({ what }) => what === 'cancel'));
  faults.clear();
  return await shown(runId);
}
const importInto = (groupId: string, previewOnly = 'false') => ({
  match: { ...importPost, path: groupId, params: { previewOnly } },
});

const isWaiting = ({ status }: RunRecord) => status === 'waiting';

let before: unknown;
beforeAll(async () => {
  site = await openPipeline(
    { staging: { checks: [{ name: 'smoke', command: './smoke.sh' }] }, live: { after: 'staging' } },
    { target: { seed: 'empty', jobPolls: 1 } },
  );
  const smoke = '#!/bin/sh\necho began >> began\nwhile [ -e hold ]; do sleep 0.1; done\n';
  writeFileSync(path.join(site.folder, 'smoke.sh'), smoke, { mode: 0o755 });
  const stage = new SeedBuilder(site.target.world, 'admin');
  const road = { id: there, title: 'Of before', type: 'CSV', name: 'before.csv', groups: [emptyGroupId] };
  await stage.file(road, 'a,b\n');
  before = await portrait(site.target);
  await recordOf('release', 'create', 'transport');
});
afterAll(() => site.close());

describe('a promotion of an unverified release', () => {
  const live = { pipeline: 'transport', stage: 'live' };
  async function inputFor(change: Partial<PromotionInput> = {}): Promise<PromotionInput> {
    const { releases } = openSnapshots(site.config, site.store);
    const [id = ''] = await releases.ids();
    const { manifest } = await releases.read(id);
    const runId = `promotion-transport-${Math.random().toString(36).slice(2, 10)}`;
    const resolved = resolvePromotion(site.config, live.pipeline, live.stage, manifest);
    return { ...resolved, runId, startedBy: 'mallory@ci', yes: true, ...change };
  }
  it('is refused by the worker although signed, and writes nothing [P11]', async () => {
    const asIs = await portrait(site.third);
    const refusal = async (input: PromotionInput) =>
      (await site.over(await site.startRun('promotion', { ...input }))).record.error;
    const given = await inputFor();
    expect(await refusal(given)).toMatchObject({
      code: 'PROMOTION_REFUSED',
      message: expect.stringContaining('was never promoted to staging'),
    });
    const release = { ...given.release, sha256: 'b'.repeat(64) };
    expect(await refusal(await inputFor({ release, hotfix: true }))).toMatchObject({
      code: 'PROMOTION_REFUSED',
    });
    const map = { urls: { 'https://a.example.com': 'https://b.example.com' }, items: {} };
    expect(await refusal(await inputFor({ map, hotfix: true }))).toMatchObject({
      code: 'CONFIG_MISMATCH',
      message: expect.stringContaining('transport/live: map'),
    });
    expect(await portrait(site.third)).toEqual(asIs);
  });
});

describe('a cancelled promotion', () => {
  it.each([
    ['its first group is planned', { ...importInto(emptyGroupId, 'true'), when: 'before' }],
    ['its second group is planned', { ...importInto(appsGroupId, 'true'), when: 'before' }],
    ['the package of its first group goes up', { match: { operation: 'item.add' }, nth: 3, when: 'before' }],
    [
      'what its first group overwrites is being saved',
      { match: { operation: 'group.export' }, nth: 1, when: 'before' },
    ],
  ] as const)('writes nothing and enters no history when %s', async (_, rule) => {
    const already = site.imports().length;
    const record = await whileHeld(rule, () => promote('--no-wait'));
    expect(record).toMatchObject({ status: 'cancelled', target: 'untouched' });
    expect(site.imports()).toHaveLength(already);
    expect(await portrait(site.target)).toEqual(before);
    expect(await entriesOf(record.runId)).toEqual([]);
  });

  it('writes nothing and enters no history when it waits for approval', async () => {
    const { runId } = await recordOf('promote', 'transport', '--to', 'staging', '--no-wait');
    await shown(runId, isWaiting);
    await run('run', 'cancel', runId);
    expect(await shown(runId)).toMatchObject({ status: 'cancelled', target: 'untouched' });
    expect(await entriesOf(runId)).toEqual([]);
  });

  it.each([
    ['the import of its first group is under way', { ...importInto(emptyGroupId), when: 'after' }],
    [
      'its first group is imported and its second is not',
      { ...importInto(appsGroupId, 'true'), nth: 2, when: 'before' },
    ],
    ['its second group is imported', { ...importInto(appsGroupId), when: 'after' }],
  ] as const)('marks the stage failed and can be rolled back when %s', async (_, rule) => {
    const record = await whileHeld(rule, () => promote('--no-wait'));
    expect(record).toMatchObject({ status: 'cancelled', target: 'changed' });
    expect(await entriesOf(record.runId)).toEqual([{ kind: 'promoted', status: 'failed' }]);
    expect(await verified()).toBe('failed');
    expect(site.packages()).toEqual([]);
    expect(await rollback()).toMatchObject({ status: 'succeeded', warnings: [] });
    expect(await portrait(site.target)).toEqual(before);
    expect(await verified()).toBeUndefined();
  });

  it('marks the stage failed and can be rolled back when its stage is checked', async () => {
    const hold = path.join(site.folder, 'hold');
    writeFileSync(hold, '');
    const { runId } = await promote('--no-wait');
    await shown(runId, ({ phases }) => phases.find(({ name }) => name === 'checks')?.status === 'running');
    await run('run', 'cancel', runId);
    expect(await shown(runId)).toMatchObject({ status: 'cancelled', target: 'changed' });
    await run('run', 'cancel', runId);
    writeFileSync(path.join(site.folder, 'smoke.sh'), '#!/bin/sh\n', { mode: 0o755 });
    expect(await entriesOf(runId)).toEqual([{ kind: 'promoted', status: 'failed' }]);
    expect(await rollback()).toMatchObject({ status: 'succeeded', warnings: [] });
    expect(await portrait(site.target)).toEqual(before);
  });
});

describe('a cancelled rollback', () => {
  it('leaves the stage unverified with one group restored; another restores the rest', async () => {
    expect(await promote()).toMatchObject({ status: 'succeeded' });
    expect(await verified()).toBe('ok');
    const record = await whileHeld({ ...importInto(emptyGroupId, 'true'), when: 'before' }, () =>
      rollback('--no-wait'),
    );
    expect(record).toMatchObject({ status: 'cancelled' });
    expect(await verified()).toBe('failed');
    expect(await rollback()).toMatchObject({ status: 'succeeded', warnings: [] });
    expect(await portrait(site.target)).toEqual(before);
    expect(await verified()).toBeUndefined();
  });
});

describe('a failed promotion', () => {
  it('is restarted by run restart with all its options', async () => {
    site.target.faults.add({
      match: { operation: 'group.import', path: emptyGroupId },
      when: 'before',
      do: { error: { code: 403, message: 'You do not have permissions.' } },
    });
    const failed = await promote();
    site.target.faults.clear();
    expect(failed).toMatchObject({ status: 'failed', target: 'untouched' });
    const begunAgain = await recordOf(
      ...['run', 'restart', failed.runId, '--from', 'guard', '--yes', '--no-wait'],
    );
    const { runId, plan } = await shown(begunAgain.runId, isWaiting);
    await run('run', 'approve', runId, '--plan', plan?.hash ?? '');
    const again = await shown(runId);
    expect(again).toMatchObject({ status: 'succeeded', release: failed.release, parent: failed.runId });
    expect(await rollback()).toMatchObject({ status: 'succeeded', warnings: [] });
  });
});
