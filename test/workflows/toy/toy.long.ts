import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startRun } from '../../../src/service/run/start-run';
import type { RunRecord } from '../../../src/model/run/run';
import type { BackupInput } from '../../../src/model/run/run-input';
import { bundleWorkflows } from '../../../src/temporal/workflow-bundle';
import { Site } from '../../support/site';
import { typedIn } from '../../support/typed-in';

let at: Site;
const { run } = typedIn(() => at.folder);
beforeAll(async () => {
  at = await Site.open({ worker: false, listed: true });
  const bundle = path.join(at.folder, 'bundle.js');
  await writeFile(bundle, await bundleWorkflows(require.resolve('./census')));
  await at.startWorker(bundle);
});
afterAll(() => at.close());

const start = async (kind: string) => {
  const { source, options, name } = at.route();
  const route = { name, source, options };
  const { runId } = await startRun<BackupInput>(kind, at, {
    route,
    yes: true,
    force: true,
    tags: [],
  });
  return runId;
};

describe('kind of run that a contributor adds', () => {
  it('is started, recorded, watched, listed and shown like others', async () => {
    const runId = await start('census');
    const watched = await run(`run watch ${runId} -o json`);
    expect(watched.status).toBe(0);
    const record = JSON.parse(watched.stdout.trim()) as RunRecord;
    expect(record).toMatchObject({ runId, kind: 'census', status: 'succeeded', target: 'untouched' });
    expect(record.phases.map(({ name, status }) => [name, status])).toEqual([
      ['guard', 'done'],
      ['count', 'done'],
      ['cleanup', 'done'],
    ]);
    const shown = await run(`run show ${runId}`);
    expect(shown.stdout).toMatch(/ok +count +\S+ +13 items on staging/);
    expect((await run('run list')).stdout).toMatch(new RegExp(`${runId} +census`));
  });

  it('fails before a phase that lacks a fact', async () => {
    const runId = await start('hasty-census');
    const watched = await run(`run watch ${runId} -o json`);
    expect(watched.status).toBe(1);
    expect(JSON.parse(watched.stdout.trim())).toMatchObject({
      status: 'failed',
      error: { code: 'INTERNAL', message: 'no phase has read "source"' },
    });
  });
});
