import { writeFileSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';
import { stringify } from 'yaml';
import { bind } from '../../../src/activities/activities';
import type { ActivityDeps } from '../../../src/activities/deps';
import { writeChange } from '../../../src/activities/portal-change/documents';
import { categoriesDocument } from '../../../src/domain/portal-change/categories';
import { fingerprintOfChange } from '../../../src/domain/portal-change/portal-document';
import type { DocumentChangeInput } from '../../../src/model/portal-change/change';
import { portalRefOf, startChange, newRunId } from '../../../src/service/run/start-run';
import { type RunRecord, runRecord } from '../../../src/model/run/run';
import { PortalPool } from '../../../src/config/portal-pool';
import { keys } from '../../../src/store/keys';
import { Rehearsal } from '../../support/rehearsal';
import type { Ended } from '../../support/child';
import { inProcess } from '../../support/in-process';
import { authorityOf, letIn } from '../../support/control';

const trees = [
  {
    title: 'Categories',
    categories: [
      { title: 'Roads', description: 'Where one drives', categories: [{ title: 'Rail/Road' }] },
      { title: 'Wässer 水' },
    ],
  },
];
const others = [
  { title: 'Categories', categories: [{ title: 'Wässer 水' }, { title: 'Roads' }] },
  { title: 'Region' },
];

let at: Rehearsal;
beforeAll(async () => {
  at = await Rehearsal.open({
    listed: true,
    user: { username: 'admin', password: 'admin-pw' },
    source: { version: '10.8.1' },
  });
});
afterAll(() => at.close());
beforeEach(() => {
  at.target.faults.clear();
  at.target.clearRequests();
  at.target.world.changePortal({ categorySchema: trees });
});

const portolan = (...args: string[]): Promise<Ended> => inProcess(args, { cwd: at.folder });
const run = (...args: string[]): Promise<Ended> => portolan('category-schema', ...args);
const changed = async (...args: string[]): Promise<Ended & { record: RunRecord }> => {
  const ended = await run(...args, '-o', 'json');
  return { ...ended, record: JSON.parse(ended.stdout) as RunRecord };
};
const live = (): readonly unknown[] => at.target.world.portal.categorySchema;
const posts = (): string[] =>
  at.target
    .requests()
    .flatMap(({ operation }) => /^categorySchema\.(assign|delete)$/.exec(operation)?.[1] ?? []);
function file(name: string, content: unknown): string {
  const file = path.join(at.folder, name);
  writeFileSync(file, typeof content === 'string' ? content : stringify(content));
  return file;
}
/** Signs in as somebody else for a while. */
async function as<T>(username: string, work: () => Promise<T>): Promise<T> {
  const config = path.join(at.folder, 'portolan.yaml');
  const before = readFileSync(config, 'utf8');
  writeFileSync(path.join(at.folder, 'other'), `${username}-pw`, { mode: 0o600 });
  writeFileSync(
    config,
    before.replaceAll('username: admin', `username: ${username}`).replaceAll('/secret', '/other'),
  );
  try {
    return await work();
  } finally {
    writeFileSync(config, before);
  }
}

describe('portolan category-schema export and diff', () => {
  it('write a file that does not differ from the portal, on stdout or as YAML or JSON', async () => {
    const shown = await run('export', 'production');
    expect(shown.status).toBe(0);
    const yaml = file('shown.yaml', shown.stdout);
    const json = path.join(at.folder, 'schema.json');
    expect((await run('export', 'production', json)).status).toBe(0);
    expect(JSON.parse(readFileSync(json, 'utf8'))).toEqual({
      categorySchema: trees,
    });
    expect((await run('diff', 'production', yaml)).status).toBe(0);
    expect((await run('diff', 'production', json)).status).toBe(0);
    expect(posts()).toEqual([]);
  });

  it('end with 20 where they differ, and name each place', async () => {
    const ended = await run(
      'diff',
      'production',
      file('others.yaml', { categorySchema: others }),
      '-o',
      'json',
    );
    expect(ended.status).toBe(20);
    expect(JSON.parse(ended.stdout)).toMatchObject({
      differences: [
        { path: '/Categories/* (order)' },
        { path: '/Categories/Roads (description)', before: 'Where one drives' },
        { path: '/Categories/Roads/"Rail/Road"', before: 'category' },
        { path: '/Region', after: 'category' },
      ],
    });
  });

  it('say that a portal has none, and fail at nothing', async () => {
    const none = await run('export', 'staging');
    expect(none).toMatchObject({ status: 0, stdout: 'categorySchema: []\n' });
    expect(none.stderr).toMatch(/staging has no category schema/);
    expect((await run('export', 'staging', '-')).stdout).toBe(none.stdout);
  });
});

describe('portolan category-schema apply', () => {
  it('saves what is there, puts the file there, and puts back what it saved', async () => {
    const ended = await changed(
      'apply',
      'production',
      file('others.yaml', others),
      '--yes',
      '--reason',
      'tidy',
    );
    expect(ended.status).toBe(0);
    expect(live()).toEqual(others);
    const { record } = ended;
    expect(record).toMatchObject({
      status: 'succeeded',
      target: 'changed',
      saved: keys.before(record.runId),
    });
    const shown = await portolan('run', 'show', record.runId);
    expect(shown.stdout).toMatch(/rollback +portolan category-schema apply production --saved \w{4}/);

    const back = await changed('apply', 'production', '--saved', record.runId, '--yes');
    expect(back.status).toBe(0);
    expect(live()).toEqual(trees);
    const again = await changed('apply', 'production', '--saved', record.runId, '--yes');
    expect(again).toMatchObject({ status: 0, record: { status: 'nothing-to-do', target: 'untouched' } });
    expect(posts()).toEqual(['assign', 'assign']);
    expect(await run('apply', 'production', '--saved', again.record.runId, '--yes')).toMatchObject({
      status: 2,
      stderr: expect.stringMatching(/saved none[^]*portolan category-schema delete production/),
    });
  });

  it('names all that is wrong with a file at once, and sends nothing', async () => {
    const bad = { categorySchema: [{ title: 'A'.repeat(101), children: [] }, { description: 4 }] };
    const ended = await run('apply', 'production', file('bad.yaml', bad), '--yes');
    expect(ended.status).toBe(2);
    expect(ended.stderr).toMatch(/The file has 4 problems/);
    expect(ended.stderr).toMatch(/categorySchema\.0\.children: unknown setting/);
    expect((await run('apply', 'production', file('bad.yaml', 'a: [1'), '--yes')).status).toBe(2);
    expect((await run('apply', 'production', file('no.yaml', others))).stderr).toMatch(/Add --yes/);
    const empty = await run('apply', 'production', file('empty.yaml', []), '--yes');
    expect(empty.stderr).toMatch(/portolan category-schema delete production/);
    const nowhere = await run('apply', 'production', path.join(at.folder, 'nowhere.yaml'), '--yes');
    expect(nowhere).toMatchObject({ status: 2 });
    expect(posts()).toEqual([]);
  });

  it('looks where the answer is lost, and sends nothing twice that arrived', async () => {
    at.target.faults.add({
      match: { operation: 'categorySchema.assign' },
      nth: 1,
      when: 'after',
      do: 'reset',
    });
    const ended = await changed('apply', 'production', file('others.yaml', others), '--yes');
    expect(ended.record.status).toBe('succeeded');
    expect(posts()).toEqual(['assign']);
  });

  it('leaves alone what somebody else changed after it was shown', async () => {
    const runId = newRunId('category-schema', 'production');
    await at.store.writeJson(keys.desired(runId), { categorySchema: others });
    await startChange<DocumentChangeInput>('category-schema', at, {
      runId,
      operation: 'apply',
      portal: portalRefOf(at.config, 'production'),
      expected: categoriesDocument.fingerprint({ categorySchema: [{ title: 'As it was' }] }),
    });
    await at.temporal.client.workflow
      .getHandle(runId)
      .result()
      .catch(() => undefined);
    expect(await at.store.readJson(keys.record(runId), runRecord)).toMatchObject({
      status: 'failed',
      target: 'untouched',
      error: { code: 'PLAN_CHANGED' },
    });
    expect(posts()).toEqual([]);
  });

  it('names what a portal did not take although it said success', async () => {
    const lossy = [{ title: 'Categories', categories: [{ title: 'Roads' }] }];
    const { world } = at.target;
    const keep = world.changePortal.bind(world);
    jest.spyOn(world, 'changePortal').mockImplementationOnce(() => keep({ categorySchema: lossy }));
    const ended = await changed('apply', 'production', file('others.yaml', others), '--yes');
    expect(ended.record.error).toMatchObject({ code: 'NOT_TAKEN' });
    expect(ended.record.error?.message).toContain('/Categories/Wässer 水, /Region');
  });

  it('tells the words of a portal that refuses, and leaves what was there', async () => {
    at.target.faults.add({
      match: { operation: 'categorySchema.assign' },
      do: { error: { code: 400, message: 'No more categories today.' } },
    });
    const ended = await changed('apply', 'production', file('others.yaml', others), '--yes');
    expect(ended).toMatchObject({
      status: 1,
      record: { status: 'failed', target: 'untouched', error: { code: 'BAD_REQUEST' } },
    });
    expect(ended.record.error?.message).toMatch(/No more categories today/);
    expect(live()).toEqual(trees);
  });

  it('is for whoever has the privilege, and on an older portal as well', async () => {
    await as('owner', async () => {
      const ended = await run('apply', 'production', file('others.yaml', others), '--yes');
      expect(ended.status).toBe(12);
      expect(ended.stderr).toMatch(/without the privilege portal:admin:updateItemCategorySchema/);
    });
    expect(posts()).toEqual([]);
    await as('custom', async () => {
      const ended = await changed('apply', 'staging', file('others.yaml', others), '--yes');
      expect(ended.record).toMatchObject({ status: 'succeeded', operation: 'apply' });
      expect(at.source.world.portal.categorySchema).toEqual(others);
      const shown = await portolan('run', 'show', ended.record.runId);
      expect(shown.stdout).toMatch(/rollback +portolan category-schema delete staging/);
    });
  });
});

describe('portolan category-schema delete', () => {
  it('counts what is filed under it, wants the name of the portal, and can be undone', async () => {
    const [one, two] = [...at.target.world.items.values()].filter((item) => item.type !== 'Export Package');
    at.target.world.items.change(one?.id ?? '', { categories: ['/Categories/Roads', '/Elsewhere'] });
    at.target.world.items.change(two?.id ?? '', { categories: ['/Elsewhere'] });
    const unsure = await run('delete', 'production');
    expect(unsure.status).toBe(2);
    expect(unsure.stderr).toMatch(
      /4 categories in 1 tree\.\nwarning {2}category schema: 1 item is filed under it/,
    );
    expect((await run('delete', 'production', '--yes-delete', 'staging')).status).toBe(2);
    expect(posts()).toEqual([]);

    const { record, status } = await changed('delete', 'production', '--yes-delete', 'production');
    expect(status).toBe(0);
    expect(record).toMatchObject({
      status: 'succeeded',
      operation: 'delete',
      changes: [{ path: '/Categories', before: 'category with 3 below' }],
      warnings: ['category schema: 1 item is filed under it, according to search'],
    });
    expect(live()).toEqual([]);
    const none = await changed('delete', 'production');
    expect(none).toMatchObject({ status: 0, record: { status: 'nothing-to-do' } });
    expect(posts()).toEqual(['delete']);
    await run('apply', 'production', '--saved', record.runId, '--yes');
    expect(live()).toEqual(trees);
  });

  it('leaves a schema that became another one after it was saved', async () => {
    const portals = new PortalPool(at.config);
    const deps = {
      portals,
      store: at.store,
      authority: authorityOf(at.config, at.store),
    } as unknown as ActivityDeps;
    const activities = bind(deps, { writeChange });
    const portal = portalRefOf(at.config, 'production');
    const before = { categorySchema: [{ title: 'Saved' }] };
    const attempt = (number: number) =>
      new MockActivityEnvironment({ attempt: number }, { logger: new DefaultLogger('ERROR') });
    try {
      for (const [number, desired] of [
        [1, []],
        [2, []],
        [1, others],
      ] as const) {
        const runId = newRunId('category-schema', 'production');
        const change = { runId, portal, kind: 'category-schema', part: 'categorySchema' } as const;
        const wanted = { categorySchema: desired };
        const expected = fingerprintOfChange(categoriesDocument, before, wanted);
        await at.store.writeJson(keys.before(runId), before);
        await at.store.writeJson(keys.desired(runId), wanted);
        await letIn(at.config, at.store, 'categorySchema', { runId, portal, startedBy: 'test', expected });
        await expect(attempt(number).run(activities.writeChange, change)).rejects.toMatchObject({
          code: 'PLAN_CHANGED',
        });
      }
    } finally {
      await portals.close();
    }
    expect(live()).toEqual(trees);
    expect(posts()).toEqual([]);
  });

  it('is told to custom administrators and others before anything is sent', async () => {
    for (const who of ['custom', 'owner'])
      await as(who, async () => {
        const ended = await run('delete', 'production', '--yes-delete', 'production');
        expect(ended.status).toBe(12);
        expect(ended.stderr).toMatch(/only full administrators may delete a category schema/);
      });
    expect(posts()).toEqual([]);
  });

  it('is done where its answer is lost, and is not sent again', async () => {
    at.target.faults.add({
      match: { operation: 'categorySchema.delete' },
      nth: 1,
      when: 'after',
      do: 'reset',
    });
    const { record } = await changed('delete', 'production', '--yes-delete', 'production');
    expect(record.status).toBe('succeeded');
    expect(posts()).toEqual(['delete']);
  });

  it('tells a schema that the portal calls inaccessible in its words', async () => {
    at.target.faults.add({
      match: { operation: 'categorySchema.delete' },
      do: { error: { code: 404, message: 'Resource does not exist or is inaccessible.' } },
    });
    const ended = await changed('delete', 'production', '--yes-delete', 'production');
    expect(ended).toMatchObject({ status: 10, record: { status: 'failed', target: 'untouched' } });
    expect(ended.record.error?.message).toMatch(/Resource does not exist or is inaccessible/);
    expect(ended.record.error?.hint).toMatch(/The schema still exists, so this account may not delete it/);
  });
});
