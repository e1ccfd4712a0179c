import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { parse, stringify } from 'yaml';
import { loadConfig } from '../../../src/config/load-config';
import { runRecord, type RunRecord } from '../../../src/model/run/run';
import type { RunningWorker } from '../../../src/temporal/worker';
import { inProcess } from '../../support/in-process';
import type { Rehearsal } from '../../support/rehearsal';
import { until } from '../../support/until';
import { startTestWorker } from '../../support/worker';
import { openPipeline } from './a-pipeline';
import { jsonOf } from '../../support/json';

let rehearsal: Rehearsal;
let worker: RunningWorker | undefined;
beforeAll(async () => {
  const map = { urls: { 'https://dev-gis.example.com': 'https://gis.example.com' } };
  rehearsal = await openPipeline({ live: { map } });
});
afterAll(async () => {
  await worker?.stop();
  await rehearsal.close();
});

const recordOf = async (...args: string[]): Promise<RunRecord> => {
  return runRecord.parse(jsonOf(await inProcess([...args, '-o', 'json'], { cwd: rehearsal.folder })));
};
const comesTo = (runId: string, status: string): Promise<RunRecord> =>
  until(
    `${runId} to be ${status}`,
    () => recordOf('run', 'show', runId),
    (record) => record.status === status,
  );

describe('a promotion that waits for somebody', () => {
  it('is not carried out where the map of its stage has become another one meanwhile', async () => {
    await recordOf('release', 'create', 'transport');
    const args = ['promote', 'transport', '--to', 'live', '--release', 'latest:transport', '--no-wait'];
    const { runId } = await recordOf(...args);
    const { plan } = await comesTo(runId, 'waiting');
    await rehearsal.stopWorker();
    const file = path.join(rehearsal.folder, 'portolan.yaml');
    const written = parse(await readFile(file, 'utf8')) as {
      pipelines: { transport: { stages: { live: { map: { urls: Record<string, string> } } } } };
    };
    written.pipelines.transport.stages.live.map.urls = {
      'https://dev-gis.example.com': 'https://elsewhere.example.com',
    };
    await writeFile(file, stringify(written));
    worker = await startTestWorker(loadConfig(file), rehearsal.folder, {});
    await inProcess(['run', 'approve', runId, '--plan', plan?.hash ?? ''], { cwd: rehearsal.folder });
    const { error } = await comesTo(runId, 'failed');
    expect(error).toMatchObject({ code: 'CONFIG_MISMATCH' });
    expect(error?.message).toMatch(/differs for transport\/live: map/);
    expect([...rehearsal.third.world.items.values()]).toEqual([]);
  });
});
