import { afterEach, beforeAll, expect, afterAll } from '@jest/globals';
import { transportGroupId, transportItems, transportTargetGroupId } from '../../src/simulator/seed/transport';
import type { SimulatorOptions } from '../../src/simulator/options';
import type { Simulator } from '../../src/simulator/simulator';
import { addPackage, type Client, exportBytes, type Fault, signIn, start, stopAll } from './harness';

export type Started = Fault & { readonly jobId: string; readonly key: string };
export interface Preview extends Fault {
  readonly packageSummary: { readonly id: string; readonly sourcePortalInfo: { readonly version: string } };
  readonly total: number;
  readonly num: number;
  readonly nextStart: number;
  readonly results: readonly { id: string; exists: boolean; canImport: boolean; type: string }[];
}

export const importPath = `/community/groups/${transportTargetGroupId}/import`;

/** The package of the small items of the seed, made once; its source is gone when the tests run. */
export let bytes: Buffer;
export let sourceOrigin: string;

beforeAll(async () => {
  const source = await start({ seed: 'transport', version: '11.2' });
  sourceOrigin = source.world.origin;
  const { image, dashboard, view, ...small } = transportItems;
  expect([image, dashboard, view]).toHaveLength(3);
  const client = await signIn(source, 'owner');
  bytes = await exportBytes(client, transportGroupId, { itemIdList: Object.values(small).join(',') });
  await stopAll();
});

afterEach(stopAll);
afterAll(stopAll);

export async function target(
  options: Partial<SimulatorOptions> = {},
): Promise<{ simulator: Simulator; client: Client; itemId: string }> {
  const simulator = await start({ seed: 'transport-target', ...options });
  const client = await signIn(simulator, 'owner');
  return { simulator, client, itemId: await addPackage(client, bytes) };
}

export async function carry(
  client: Client,
  params: Record<string, string>,
): Promise<Awaited<ReturnType<Client['wait']>>> {
  return client.wait(await client.call<Started>(importPath, { async: 'true', ...params }));
}

export const ids = (entries: readonly { itemId: string }[] | undefined): string[] =>
  (entries ?? []).map(({ itemId }) => itemId).sort();

/** What the target holds becomes foreign in one way each: outside of the group, of others, of another type. */
export function estrange(simulator: Simulator): void {
  simulator.world.items.change(transportItems.csv, { groups: [] });
  simulator.world.items.change(transportItems.map, { owner: 'other' });
  simulator.world.items.change(transportItems.boundaries, { type: 'Map Service' });
}
export const existing = [transportItems.map, transportItems.csv, transportItems.boundaries].sort();
