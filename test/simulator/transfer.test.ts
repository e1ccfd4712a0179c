import { afterEach, describe, expect, it } from '@jest/globals';
import { transportItems } from '../../src/simulator/seed/transport';
import { until } from '../support/until';
import { type Client, signIn, start, stopAll, type Fault } from './harness';

afterEach(stopAll);

const dataPath = (id: string): string => `/content/items/${id}/data`;

describe('the data of an item', () => {
  it('is on a second server, if configured, under a signature without a token', async () => {
    const client = await signIn(await start({ seed: 'transport', redirect: true }), 'owner');
    const csv = `${client.simulator.url}${dataPath(transportItems.csv)}`;
    const headers = { referer: client.referer, 'x-esri-authorization': `Bearer ${client.token ?? ''}` };
    const answer = await fetch(csv, { headers, redirect: 'manual' });
    expect(answer.status).toBe(302);
    const location = answer.headers.get('location') ?? '';
    expect(new URL(location).port).not.toBe(String(client.simulator.port));
    expect((await (await fetch(location)).text()).startsWith('id,route,count')).toBe(true);
    expect((await fetch(location, { headers })).status).toBe(400);
    expect((await fetch(`${location}0`)).status).toBe(403);
  });
});

interface Added extends Fault {
  readonly success?: boolean;
  readonly id: string;
}

const fields = { title: 'large', type: 'Image' };

async function addInParts(client: Client, more: Record<string, string> = {}): Promise<string> {
  const params = { ...fields, multipart: 'true', filename: 'large.tif', ...more };
  return (await client.call<Added>('/content/users/owner/addItem', params)).id;
}

const part = (client: Client, id: string, number: number, bytes: Buffer): Promise<Added> =>
  client.upload<Added>(`/content/users/owner/items/${id}/addPart?partNum=${number}`, bytes, {});

describe('adding an item', () => {
  it('is refused on a full disk, as are parts and joining parts', async () => {
    const simulator = await start({ commitLagMs: 0 });
    const client = await signIn(simulator, 'owner');
    const noSpace = { error: { code: 500, message: 'No space left on device' } };
    const megabyte = Buffer.alloc(1024 ** 2);
    simulator.settings.diskBytes = 7 * megabyte.length;
    const large = Buffer.alloc(8 * megabyte.length);
    expect(await client.upload('/content/users/owner/addItem', large, fields)).toMatchObject(noSpace);
    expect(simulator.world.items.size).toBe(0);
    const id = await addInParts(client);
    const first = Buffer.alloc(5 * megabyte.length, 1);
    expect(await part(client, id, 1, first)).toMatchObject({ success: true });
    expect(await part(client, id, 2, first)).toMatchObject(noSpace);
    expect(await part(client, id, 2, megabyte)).toMatchObject({ success: true });
    expect(await client.call(`/content/users/owner/items/${id}/parts`)).toEqual({ parts: [1, 2] });
    // The parts lie beside the file until they are joined.
    await client.call(`/content/users/owner/items/${id}/commit`);
    const status = () => client.call<{ status: string }>(`/content/users/owner/items/${id}/status`);
    expect(
      await until('the end of the joining', status, (seen) => seen.status !== 'processing'),
    ).toMatchObject({
      status: 'failed',
      statusMessage: 'No space left on device',
    });
    await client.call(`/content/users/owner/items/${id}/delete`);
    expect(await simulator.world.files.used()).toBe(0);
    expect(await client.upload('/content/users/owner/addItem', first, fields)).toMatchObject({
      success: true,
    });
  });
});
