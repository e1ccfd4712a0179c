import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { loadConfig } from '../../../src/config/load-config';
import type { RunningWorker } from '../../../src/temporal/worker';
import type { Rehearsal } from '../../support/rehearsal';
import { startTestWorker } from '../../support/worker';
import { type Commands, commandsIn, itemsOn, openPipeline } from './a-pipeline';

let rehearsal: Rehearsal;
let { run, recordOf, comesTo }: Commands = {} as Commands;
let worker: RunningWorker | undefined;

beforeAll(async () => {
  const map = { urls: { 'https://dev-gis.example.com': 'https://gis.example.com' } };
  rehearsal = await openPipeline(
    { live: { map } },
    { portals: { policy: { writes: 'required', twoPeople: true } } },
  );
  ({ run, recordOf, comesTo } = commandsIn(rehearsal));
  await recordOf('release', 'create', 'transport');
});
afterAll(async () => {
  await worker?.stop();
  await rehearsal.close();
});

describe('the approval of a promotion', () => {
  it('needs a second person despite --yes, as that of its rollback does [P13]', async () => {
    for (const [args, items] of [
      [['promote', 'transport', '--to', 'staging'], 3],
      [['promote', 'rollback', 'transport', 'staging'], 0],
    ] as const) {
      const { runId } = await recordOf(...args, '--yes', '--no-wait');
      const handle = rehearsal.temporal.client.workflow.getHandle(runId);
      const { plan } = await rehearsal.waiting(handle);
      const own = await run('run', 'approve', runId, '--plan', plan?.hash ?? '');
      expect(own.status).not.toBe(0);
      expect(own.stderr).toMatch(/started the run, .* a second approver/);
      expect(itemsOn(rehearsal.target)).toHaveLength(3 - items);
      await rehearsal.approve(handle, { who: 'gislead@desk' });
      expect((await rehearsal.ended(handle)).record).toMatchObject({ status: 'succeeded' });
      expect(itemsOn(rehearsal.target)).toHaveLength(items);
    }
  });

  it('is void if the map of the stage changed meanwhile [P13]', async () => {
    const args = ['promote', 'transport', '--to', 'live', '--release', 'latest:transport', '--no-wait'];
    const { runId } = await recordOf(...args);
    await comesTo(runId, 'waiting');
    await rehearsal.stopWorker();
    const file = path.join(rehearsal.folder, 'portolan.yaml');
    const text = await readFile(file, 'utf8');
    await writeFile(file, text.replace('https://gis.example.com', 'https://elsewhere.example.com'));
    worker = await startTestWorker(loadConfig(file), rehearsal.folder, {});
    await rehearsal.approve(rehearsal.temporal.client.workflow.getHandle(runId), { who: 'gislead@desk' });
    const { error } = await comesTo(runId, 'failed');
    expect(error).toMatchObject({
      code: 'CONFIG_MISMATCH',
      message: expect.stringMatching(/differs for transport\/live: map/),
    });
    expect(itemsOn(rehearsal.third)).toEqual([]);
  });
});
