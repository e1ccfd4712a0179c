import { afterEach, describe, expect, it } from '@jest/globals';
import { transportGroupId, transportItems } from '../../src/simulator/seed/transport';
import { freeServerPort } from '../support/free-port';
import { addPackage, exportBytes, freshFolder, signIn, start, stopAll } from './harness';

afterEach(stopAll);

const night = (day: number): number => Date.UTC(2027, 2, day, 3);
/** A test takes less than this between putting the clock and reading it. @format milliseconds */
const hour = 3_600_000;
const inHourOf = (ms: number): object => ({ asymmetricMatch: (at: number) => at >= ms && at < ms + hour });

interface Row {
  readonly id: string;
  readonly created: number;
  readonly modified: number;
  readonly url: string;
}

describe('the clock of a simulated portal', () => {
  it('dates items, folders, jobs and packages', async () => {
    const simulator = await start({ seed: 'transport', clock: night(1) });
    const client = await signIn(simulator, 'owner');
    await client.call('/content/users/owner/createFolder', { title: 'F' });
    expect(await client.call('/content/users/owner')).toMatchObject({
      folders: [{ title: 'F', created: inHourOf(night(1)) }],
    });

    simulator.setClock(night(2));
    const added = await client.call<Row>('/content/users/owner/addItem', {
      title: 'T',
      type: 'CSV',
      text: 'a',
    });
    const item = `/content/items/${added.id}`;
    expect(await client.call(item)).toMatchObject({
      created: inHourOf(night(2)),
      modified: inHourOf(night(2)),
    });

    simulator.setClock(night(3));
    await client.call(`/content/users/owner/items/${added.id}/update`, { title: 'U' });
    expect(await client.call(item)).toMatchObject({
      created: inHourOf(night(2)),
      modified: inHourOf(night(3)),
    });

    const job = await client.call<{ jobId: string; key: string }>(
      `/community/groups/${transportGroupId}/export`,
      { async: 'true', itemIdList: transportItems.map },
    );
    expect(await client.wait(job)).toMatchObject({
      created: inHourOf(night(3)),
      modified: inHourOf(night(3)),
      result: { created: inHourOf(night(3)) },
    });

    simulator.setClock(undefined);
    await client.call(`/content/users/owner/items/${added.id}/update`, { title: 'V' });
    expect(await client.call(item)).toMatchObject({ modified: inHourOf(Date.now() - hour / 2) });
  });

  it('dates packages and imported items, and survives a restart', async () => {
    const state = await freshFolder();
    const simulator = await start({ seed: 'transport', state, port: await freeServerPort() });
    simulator.setClock(night(4));
    const client = await signIn(simulator, 'owner');
    const bytes = await exportBytes(client, transportGroupId, { itemIdList: transportItems.roads });
    const id = await addPackage(client, bytes);
    simulator.setClock(night(5));
    const desired = { itemId: id, overwriteExistingItems: 'true', async: 'true' };
    const path = `/community/groups/${transportGroupId}/import`;
    expect(await client.call(path, { ...desired, previewOnly: 'true' })).toMatchObject({
      packageSummary: { packageCreated: inHourOf(night(4)) },
    });
    await client.wait(await client.call<{ jobId: string; key: string }>(path, desired));
    const { url, modified } = await client.call<Row>(`/content/items/${transportItems.roads}`);
    expect(modified).toEqual(inHourOf(night(5)));
    expect(await client.call(`${url}/0`)).toMatchObject({
      editingInfo: { lastEditDate: inHourOf(night(5)) },
    });

    await simulator.close();
    const again = await start({ seed: 'transport', state });
    expect(again.world.now()).toEqual(inHourOf(night(5)));
  });
});
