import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { makeKeyPair } from '../../../src/domain/archive/signing-keys';
import { SeedBuilder } from '../../../src/simulator/seed/build';
import { emptyGroupId, manyGroupId } from '../../../src/simulator/seed/seeds';
import { addMaps, addServices, addStories, transportItems } from '../../../src/simulator/seed/transport';
import type { Simulator } from '../../../src/simulator/simulator';
import { builtInUsers } from '../../../src/simulator/seed/users';
import { Site } from '../../support/site';
import { typedIn } from '../../support/typed-in';

const groups = { roads: emptyGroupId };
const pipelines = {
  transport: {
    groups: ['roads'],
    stages: {
      dev: { portal: 'dev', groups: { roads: manyGroupId } },
      staging: { portal: 'staging', groups },
      production: { portal: 'production', groups },
    },
  },
};

/** A site with portals of its own under all the names: of what the others hold it has nothing. */
const open = () =>
  Site.open({
    listed: true,
    user: builtInUsers.admin,
    source: { seed: 'many', seedItems: 2 },
    target: { seed: 'empty' },
    third: { name: 'production', seed: 'empty' },
    names: { source: 'dev', target: 'staging' },
    config: { routes: {}, pipelines },
  });

type Stage = keyof typeof pipelines.transport.stages;
const sites = {} as Record<Stage, Site>;
const tried = (stage: Stage, ...args: string[]) => typedIn(() => sites[stage].folder).run(...args);
const at = async (stage: Stage, ...args: string[]) => {
  const ended = await tried(stage, ...args);
  if (ended.status !== 0) throw new Error(`${stage}: portolan ${args.join(' ')}\n${ended.stderr}`);
  return ended;
};
/** Of what stands verified in the stage that the site is about. */
const standing = async (stage: Stage) => {
  const { stdout } = await at(stage, 'promote', 'status', 'transport', '--no-drift', '-o', 'json');
  const { stages } = JSON.parse(stdout) as { stages: { name: string; sha256?: string; verified?: string }[] };
  const found = stages.find(({ name }) => name === stage);
  return found?.verified === 'ok' ? found.sha256 : undefined;
};

let publicFile: string;
let key: string;
beforeAll(async () => {
  for (const stage of ['dev', 'staging', 'production'] as const) sites[stage] = await open();
  const { world } = sites.dev.source;
  const seed = new SeedBuilder(world);
  await addServices(seed, [manyGroupId]);
  world.items.remove(transportItems.view);
  await addMaps(seed, [manyGroupId], []);
  await addStories(seed, [manyGroupId]);
  key = path.join(sites.dev.folder, 'signing-key');
  ({ publicFile } = await makeKeyPair(key));
});
afterAll(async () => {
  for (const site of Object.values(sites)) await site.close();
});

describe('a release', () => {
  it('brings the same items to each stage of sites without a common network', async () => {
    const file = path.join(sites.dev.folder, 'transport.release');
    await at('dev', 'release', 'create', 'transport');
    await at('dev', 'release', 'export', 'latest:transport', '--to', file, '--key', key);
    const made = await standing('dev');
    expect(made).toMatch(/^[0-9a-f]{64}$/);

    await at('staging', 'release', 'import', file, '--trust', publicFile, '--history');
    await at('staging', 'promote', 'transport', '--to', 'staging', '--yes');
    expect(await standing('staging')).toBe(made);

    await at('production', 'release', 'import', file, '--trust', publicFile);
    const release = ['--release', 'latest:transport'];
    const toProduction = ['promote', 'transport', '--to', 'production', '--yes', ...release];
    const early = await tried('production', ...toProduction);
    expect(early.stderr).toMatch(/was never promoted to staging/);

    const further = `${file}.from-staging`;
    await at('staging', 'release', 'export', 'latest:transport', '--to', further, '--key', key);
    const damaged = `${file}.damaged`;
    const bytes = await readFile(further);
    bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] ?? 0) ^ 1;
    await writeFile(damaged, bytes);
    const flipped = await tried(
      'production',
      ...['release', 'import', damaged, '--trust', publicFile, '--history'],
    );
    expect(flipped.status).not.toBe(0);
    expect((await tried('production', ...toProduction)).status).toBe(1);

    await at('production', 'release', 'import', further, '--trust', publicFile, '--history');
    await at('production', ...toProduction);
    expect(await standing('production')).toBe(made);
    const items = ({ world }: Simulator) => [...world.items.values()].map(({ id }) => id).sort();
    expect(items(sites.production.third)).toEqual(items(sites.dev.source));
    expect(items(sites.production.target)).toEqual([]);
    expect(sites.production.source.requests()).toEqual([]);
  });
});
