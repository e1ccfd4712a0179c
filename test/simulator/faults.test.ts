import { afterEach, describe, expect, it } from '@jest/globals';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { FaultRule } from '../../src/simulator/faults';
import { transportItems, transportGroupId } from '../../src/simulator/seed/transport';
import { builtInUsers } from '../../src/simulator/seed/users';
import { until } from '../support/until';
import { Client, freshFolder, signIn, start, stopAll } from './harness';

afterEach(stopAll);

async function faulty(...rules: FaultRule[]): Promise<Client> {
  const client = await signIn(await start({ seed: 'transport' }), 'owner');
  client.simulator.faults.add(...rules);
  return client;
}

const self = '/portals/self?f=json';
const match = { operation: 'portal.self' };

describe('a fault plan', () => {
  it('strikes the numbered requests only', async () => {
    const client = await faulty({ match, nth: [2, 3], do: { status: 503, retryAfter: 7 } });
    const statuses: number[] = [];
    for (let i = 0; i < 4; i++) statuses.push((await client.get(self)).status);
    expect(statuses).toEqual([200, 503, 503, 200]);
  });

  it('counts from another request on, if it names one', async () => {
    const since = { operation: 'user.read', params: { f: 'json' } };
    const client = await faulty({ match, since, nth: 1, do: { status: 503 } });
    expect((await client.get(self)).status).toBe(200);
    expect((await client.get('/community/users/owner?f=json')).status).toBe(200);
    expect((await client.get(self)).status).toBe(503);
    expect((await client.get(self)).status).toBe(200);
  });

  it('expires tokens', async () => {
    const client = await faulty({ match, nth: 1, do: 'expireToken' });
    expect(await client.call('/portals/self')).toMatchObject({ error: { code: 498 } });
    const again = await signIn(client.simulator, 'owner');
    expect(await again.call('/portals/self')).toHaveProperty('user');
  });

  it('resets before or after the work', async () => {
    const create = { operation: 'folder.create' };
    const client = await faulty(
      { match: create, nth: 1, when: 'before', do: 'reset' },
      { match: create, nth: 2, when: 'after', do: 'reset' },
    );
    const { folders } = client.simulator.world;
    await expect(client.call('/content/users/owner/createFolder', { title: 'one' })).rejects.toThrow(
      'fetch failed',
    );
    expect(folders.size).toBe(0);
    await expect(client.call('/content/users/owner/createFolder', { title: 'two' })).rejects.toThrow(
      'fetch failed',
    );
    expect([...folders.values()].map(({ title }) => title)).toEqual(['two']);
  });

  it('cuts, delays and withholds responses', async () => {
    const client = await faulty(
      { match: { operation: 'item.data' }, nth: 1, do: { cut: 1000 } },
      { match, nth: 1, do: { delay: 60 } },
      { match, nth: 2, do: 'hang' },
    );
    const cut = await client.get(`/content/items/${transportItems.csv}/data`);
    await expect(cut.text()).rejects.toThrow('terminated');
    expect((await client.get(self)).status).toBe(200);
    expect(client.simulator.requests().at(-1)).toMatchObject({ fault: 'delay', status: 200 });
    const hanging = fetch(`${client.simulator.url}${self}`, { signal: AbortSignal.timeout(100) });
    await expect(hanging).rejects.toThrow('timeout');
  });

  it('holds responses, before or after the work, until released', async () => {
    const create = { operation: 'folder.create' };
    const client = await faulty({ match: create, when: 'after', do: 'hold' }, { match, do: 'hold' });
    const { faults, world } = client.simulator;
    const answered: string[] = [];
    const held = [
      client.call('/content/users/owner/createFolder', { title: 'one' }).then(() => answered.push('folder')),
      client.call('/portals/self').then(() => answered.push('self')),
    ];
    await until('both to be held', () => faults.holding === held.length);
    expect(world.folders.size).toBe(1);
    // Whatever is asked behind them is answered before them.
    expect(await client.call('/community/self')).toMatchObject({ username: 'owner' });
    expect(answered).toEqual([]);
    faults.release();
    await Promise.all(held);
  });

  it('cuts an upload after a number of bytes', async () => {
    const client = await faulty({ match: { operation: 'item.add' }, do: { cutRequest: 100_000 } });
    const upload = client.upload('/content/users/owner/addItem', Buffer.alloc(5_000_000), {
      title: 'x',
      type: 'Image',
    });
    await expect(upload).rejects.toThrow('fetch failed');
    expect(client.simulator.world.items.size).toBe(13);
  });

  it('matches requests by path, method and parameters', async () => {
    const client = await faulty(
      { match: { params: { previewOnly: 'true' } }, do: { error: { code: 1 } } },
      { match: { path: 'items/[0-9a-f]+$', method: 'GET' }, do: { error: { code: 2 } } },
      { match: { operation: 'token.*' }, do: { error: { code: 3 } } },
    );
    const item = `/content/items/${transportItems.csv}`;
    expect(await client.call(item, { previewOnly: 'true' })).toMatchObject({ error: { code: 1 } });
    expect(await client.call(item)).toMatchObject({ id: transportItems.csv });
    expect(await (await client.get(`${item}?f=json`)).json()).toMatchObject({ error: { code: 2 } });
    expect(await client.call('/generateToken', builtInUsers.owner)).toMatchObject({ error: { code: 3 } });
  });

  it('is read from a file, or refused as invalid', async () => {
    const path = join(await freshFolder(), 'faults.json');
    await writeFile(path, JSON.stringify({ rules: [{ match, do: 'html' }] }));
    const client = new Client(await start({ faults: path }), undefined);
    expect(await (await client.get(self)).text()).toContain('Sign in');
    await writeFile(path, JSON.stringify({ rules: [{ match, do: 'explode' }] }));
    await expect(start({ faults: path })).rejects.toThrow('The fault plan is not valid');
  });
});

describe('the request log', () => {
  it('has requests, callers and outcomes, in memory and on disk, no secrets', async () => {
    const client = await signIn(await start({ seed: 'transport' }), 'owner');
    const job = await client.call<{ jobId: string; key: string }>(
      `/community/groups/${transportGroupId}/export`,
      {
        async: 'true',
        itemIdList: transportItems.csv,
        token: client.token ?? '',
      },
    );
    await client.wait(job);
    const entry = client.simulator.requests().find(({ operation }) => operation === 'group.export');
    expect(entry).toMatchObject({
      method: 'POST',
      path: `/portal/sharing/rest/community/groups/${transportGroupId}/export`,
      params: { async: 'true', itemIdList: transportItems.csv, token: '***' },
      status: 200,
      user: 'owner',
      tokenBy: 'header',
    });
    const text = await readFile(join(client.simulator.world.stateFolder, 'requests.ndjson'), 'utf8');
    expect(text.split('\n').length - 1).toBe(client.simulator.requests().length);
    const journal = await readFile(join(client.simulator.world.stateFolder, 'journal.ndjson'), 'utf8');
    for (const secret of [client.token ?? '', job.key, builtInUsers.owner.password]) {
      expect(text).not.toContain(secret);
      expect(journal).not.toContain(secret);
    }
  });
});
