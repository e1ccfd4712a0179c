import fc from 'fast-check';
import { editLayer } from '../../../src/simulator/edit-layer';
import { transportGroupId, transportItems } from '../../../src/simulator/seed/transport';
import type { Simulator } from '../../../src/simulator/simulator';
import type { ServiceRecord } from '../../../src/simulator/state/records';

/** What somebody does to one item of a portal. */
export interface Edit {
  readonly side: 'source' | 'target';
  readonly itemId: string;
  readonly what: (typeof edits)[number];
  /** By how much the portal's clock is off, in milliseconds. */
  readonly clockMs: number;
}

/** Every kind of edit that people, programs and administrators make. */
export const edits = [
  'title',
  'data',
  'access',
  'owner',
  'rows',
  'schema',
  'deletion',
  'replacement',
  'leaves or joins the group',
] as const;

const { csv, map, app, roads, projects, boundaries } = transportItems;

export const someEdits: fc.Arbitrary<Edit[]> = fc.array(
  fc.record({
    side: fc.constantFrom('source' as const, 'target' as const),
    itemId: fc.constantFrom(csv, map, app, roads, projects, boundaries),
    what: fc.constantFrom(...edits),
    clockMs: fc.constantFrom(0, 0, 3_600_000, -3_600_000, -365 * 86_400_000),
  }),
  { minLength: 1, maxLength: 4 },
);

let count = 0;

/** Makes an edit, as far as the item is there and of a kind that can be edited so. */
export async function apply({ world }: Simulator, { side, itemId, what, clockMs }: Edit): Promise<void> {
  const item = world.items.get(itemId);
  if (!item) return;
  const modified = world.now() + clockMs;
  const text = `${what} ${++count}`;
  const service = world.services.find((each) => each.itemId === itemId);
  switch (what) {
    case 'title':
      return void world.items.change(itemId, { title: text, modified });
    case 'data': {
      if (item.data?.kind !== 'file' || itemId !== csv) return;
      const size = await world.files.write(world.files.dataPath(itemId), `a,b\n${text},2\n`);
      return void world.items.change(itemId, { size, modified });
    }
    case 'access':
      return void world.items.change(itemId, { access: item.access === 'org' ? 'shared' : 'org' });
    case 'owner':
      if (side === 'target')
        world.items.change(itemId, { owner: item.owner === 'other' ? 'owner' : 'other' });
      return;
    case 'rows':
      if (!service) return;
      await editLayer(world, service.path, 0, { adds: [{ attributes: { text } }], rollback: true });
      return;
    case 'schema':
      if (service) world.services.change(service.path, { layers: service.layers.map(withField(text)) });
      return;
    case 'deletion':
      if (side === 'target') removeItem(world, itemId);
      return;
    case 'replacement':
      return void world.items.change(itemId, { title: text, created: modified, modified: item.modified });
    case 'leaves or joins the group':
      if (side === 'source')
        world.items.change(itemId, {
          groups: item.groups.includes(transportGroupId) ? [] : [transportGroupId],
        });
      return;
  }
}

function removeItem(world: Simulator['world'], itemId: string) {
  for (const { path } of world.services.filter((each) => each.itemId === itemId)) world.services.remove(path);
  world.items.remove(itemId);
}

const withField =
  (name: string) =>
  (layer: ServiceRecord['layers'][number]): ServiceRecord['layers'][number] => ({
    ...layer,
    fields: [...layer.fields, { name, type: 'esriFieldTypeString' }],
  });
