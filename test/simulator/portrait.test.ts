import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { differencesOf, portraitOf } from '../../src/simulator/portrait';
import { editLayer } from '../../src/simulator/edit-layer';
import { transportItems } from '../../src/simulator/seed/transport';
import { type Simulator, startSimulator } from '../../src/simulator/simulator';

const folder = mkdtempSync(path.join(tmpdir(), 'portolan-portrait-'));
let portal: Simulator;
beforeAll(async () => {
  portal = await startSimulator({ name: 'one', version: '11.4', state: folder, seed: 'transport' });
});
afterAll(async () => {
  await portal.close();
  rmSync(folder, { recursive: true, force: true });
});

describe('the portrait of a portal', () => {
  it('shows changed owners, data, rows, folders and settings, but not times', async () => {
    const { world } = portal;
    const before = await portraitOf(world);
    const { map, pdf, roads, csv } = transportItems;
    world.items.change(map, { modified: world.now(), indexedAt: 1 });
    expect(differencesOf(before, await portraitOf(world))).toEqual([]);

    world.items.change(map, { owner: 'viewer' });
    world.items.remove(csv);
    await world.files.write(world.files.dataPath(pdf), 'another');
    const row = { attributes: { OBJECTID: 1, STATUS: 'gone' } };
    await editLayer(world, 'server/Hosted/StateRoutes/FeatureServer', 0, { updates: [row], rollback: true });
    world.folders.put('f1', { id: 'f1', username: 'owner', title: 'New', created: 1 });
    world.changePortal({ settings: { informationalBanner: { text: 'new' } } });
    const names = differencesOf(before, await portraitOf(world)).map((line) => line.split(': ')[0]);
    expect(names).toEqual(
      expect.arrayContaining([
        `item ${map} owner`,
        `item ${pdf} data`,
        `item ${roads} features/0.ndjson`,
        `item ${csv} title`,
        'folder owner/New',
        'settings',
      ]),
    );
    expect(names.filter((name) => name?.startsWith(`item ${map}`))).toHaveLength(1);
  });
});
