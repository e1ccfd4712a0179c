import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { loadConfig } from '../../../src/config/load-config';
import type { RunningWorker } from '../../../src/temporal/worker';
import type { Site } from '../../support/site';
import { startTestWorker } from '../../support/worker';
import { commandsIn, itemsOn, openPipeline } from './a-pipeline';

let site: Site;
const { run, recordOf, comesTo } = commandsIn(() => site);
let worker: RunningWorker | undefined;

beforeAll(async () => {
  const map = { urls: { 'https://dev-gis.example.com': 'https://gis.example.com' } };
  site = await openPipeline(
    { live: { map } },
    { portals: { policy: { writes: 'required', twoPeople: true } } },
  );
  await recordOf('release create transport');
});
afterAll(async () => {
  await worker?.stop();
  await site.close();
});

describe('the approval of a promotion', () => {
  it('needs a second person despite --yes, as that of its rollback does [P13]', async () => {
    for (const [line, items] of [
      ['promote transport --to staging', 3],
      ['promote rollback transport staging', 0],
    ] as const) {
      const { runId } = await recordOf(`${line} --yes --no-wait`);
      const handle = site.temporal.client.workflow.getHandle(runId);
      const { plan } = await site.waiting(handle);
      const own = await run(`run approve ${runId} --plan ${plan?.hash ?? ''}`);
      expect(own.status).not.toBe(0);
      expect(own.stderr).toMatch(/started the run, .* a second approver/);
      expect(itemsOn(site.target)).toHaveLength(3 - items);
      await site.approve(handle, { who: 'gislead@desk' });
      expect((await site.ended(handle)).record).toMatchObject({ status: 'succeeded' });
      expect(itemsOn(site.target)).toHaveLength(items);
    }
  });

  it('is void if the map of the stage changed meanwhile [P13]', async () => {
    const { runId } = await recordOf('promote transport --to live --release latest:transport --no-wait');
    await comesTo(runId, 'waiting');
    await site.stopWorker();
    const file = path.join(site.folder, 'portolan.yaml');
    const text = await readFile(file, 'utf8');
    await writeFile(file, text.replace('https://gis.example.com', 'https://elsewhere.example.com'));
    worker = await startTestWorker(loadConfig(file), site.folder, {});
    await site.approve(site.temporal.client.workflow.getHandle(runId), { who: 'gislead@desk' });
    const { error } = await comesTo(runId, 'failed');
    expect(error).toMatchObject({
      code: 'CONFIG_MISMATCH',
      message: expect.stringMatching(/differs for transport\/live: map/),
    });
    expect(itemsOn(site.third)).toEqual([]);
  });
});
