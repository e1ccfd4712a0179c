import { afterEach, describe, expect, it } from '@jest/globals';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseFinalStatus } from '../../src/simulator/options';
import { transportGroupId, transportItems } from '../../src/simulator/seed/transport';
import { freeServerPort } from '../support/free-port';
import { freshFolder, signIn, start, stopAll } from './harness';

afterEach(stopAll);

describe('seeds', () => {
  it('are planted once, so that a restart keeps changes', async () => {
    const first = await start({ seed: 'transport', port: await freeServerPort() });
    first.world.items.remove(transportItems.csv);
    await first.close();
    const again = await start({ seed: 'transport', state: first.world.stateFolder });
    expect(again.url).toBe(first.url);
    expect(again.world.items.has(transportItems.csv)).toBe(false);
    expect(again.world.items.size).toBe(12);
  });

  it("come from a file that names the portal's addresses", async () => {
    const path = join(await freshFolder(), 'seed.json');
    const [map, roads] = ['1'.repeat(32), '2'.repeat(32)];
    const items = [
      {
        id: map,
        title: 'Map',
        type: 'Web Map',
        json: { url: '{server}/rest/services/Hosted/Roads/FeatureServer/0' },
      },
      {
        id: roads,
        title: 'Roads',
        type: 'Feature Service',
        service: { name: 'Roads', layers: [{ name: 'R', count: 3 }] },
      },
    ];
    await writeFile(path, JSON.stringify({ group: { id: transportGroupId, title: 'Mine' }, items }));
    const client = await signIn(await start({ seed: path }), 'owner');
    const { url } = (await (await client.get(`/content/items/${map}/data`)).json()) as { url: string };
    expect(await client.call(`${url}/query`, { where: '1=1', returnCountOnly: 'true' })).toEqual({
      count: 3,
    });
    await writeFile(path, JSON.stringify({ group: { id: 'short', title: 'Mine' }, items: [] }));
    await expect(start({ seed: path })).rejects.toThrow('is not valid');
  });
});

describe('options', () => {
  it('are checked', async () => {
    await expect(start({ version: 'eleven' })).rejects.toThrow(
      '"eleven" is no version such as 11.2 or 10.8.1',
    );
    await expect(start({ jobPolls: -1 })).rejects.toThrow('jobPolls must be a number of at least 0, not -1');
  });

  it('read final job statuses from a text', () => {
    expect(parseFinalStatus('export=succeeded,import=complete')).toEqual({
      export: 'succeeded',
      import: 'complete',
    });
    expect(parseFinalStatus('import=Archived')).toEqual({ import: 'Archived' });
    expect(() => parseFinalStatus('both=x')).toThrow('"both=x" is not export=WORD or import=WORD');
  });
});
