import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { packageFields } from '../../../src/activities/transfer/uploads';
import { PortalPool } from '../../../src/config/portal-pool';
import { startMultipart } from '../../../src/portal/resources/items/add-item';
import { keys } from '../../../src/store/keys';
import { writeFile } from '../../../src/store/store';
import { until } from '../../support/until';
import { AWorker } from '../a-worker';

let at: AWorker;
beforeAll(async () => {
  at = await AWorker.open();
});
afterAll(() => at.close());

describe('joined parts', () => {
  it('are neither sent nor committed again by a resumed run', async () => {
    const runId = 'sync-transport-20261121T030000Z-bbbb';
    await at.letIn('sync', { runId, route: at.route });
    const key = keys.package(runId, 0);
    await writeFile(at.writer, key, Readable.from([Buffer.alloc(6_000_000, 7)]));
    const fields = packageFields({ runId, portal: at.facts, packageIndex: 0 });
    const portals = new PortalPool(at.config);
    const { id: itemId } = await startMultipart(portals.open('production'), fields);
    await portals.close();
    const input = { runId, portal: at.facts, packageIndex: 0, key, sha256: 'a'.repeat(64), itemId };
    expect(await at.call('uploadParts', input)).toEqual({ parts: 1, sent: 1 });
    await until('the file', () => at.target.world.items.get(itemId)?.status === 'completed');
    const asked = at.target.requests().length;
    expect(await at.call('uploadParts', { ...input, again: true })).toEqual({
      parts: 1,
      sent: 0,
    });
    const since = at.target.requests().slice(asked);
    expect(new Set(since.map(({ operation }) => operation))).toEqual(new Set(['item.status']));
  });
});

describe('an uploaded package', () => {
  it('is waited for by the clock of the worker, not by that of Temporal', async () => {
    const minutes = 60_000;
    for (const behind of [45 * minutes, -45 * minutes]) {
      const input = {
        runId: 'sync-transport-20261121T030000Z-aaaa',
        portal: at.facts,
        itemIds: ['e'.repeat(32)],
        since: Date.now() - behind,
      };
      const waits = at.call('awaitPackages', input);
      await expect(waits).rejects.toThrow('the uploaded package is not readable yet');
    }
  });
});
