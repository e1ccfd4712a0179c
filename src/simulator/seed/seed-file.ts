import { readFileSync } from 'node:fs';
import { z } from 'zod';
import type { World } from '../world';
import { SeedBuilder, layer } from './build';

const layers = z.array(
  z.strictObject({ name: z.string(), count: z.number().int(), geometryType: z.string().optional() }),
);

const item = z.strictObject({
  id: z.string().regex(/^[0-9a-f]{32}$/),
  title: z.string(),
  type: z.string(),
  owner: z.string().optional(),
  name: z.string().optional(),
  url: z.string().optional(),
  typeKeywords: z.array(z.string()).optional(),
  tags: z.array(z.string()).optional(),
  snippet: z.string().optional(),
  modified: z.number().optional(),
  access: z.enum(['private', 'shared', 'org', 'public']).optional(),
  /** Data: text, any JSON, or this many bytes generated at each read. */
  text: z.string().optional(),
  json: z.unknown().optional(),
  bytes: z.number().int().optional(),
  /** Content by path, each a JSON value. */
  resources: z.record(z.string(), z.unknown()).optional(),
  /** Makes the item a hosted feature service. */
  service: z.strictObject({ name: z.string(), layers, tables: layers.optional() }).optional(),
});

const seedFile = z.strictObject({
  group: z.strictObject({
    id: z.string().regex(/^[0-9a-f]{32}$/),
    title: z.string(),
    owner: z.string().optional(),
    members: z.array(z.string()).optional(),
    access: z.enum(['private', 'org', 'public']).optional(),
    capabilities: z.array(z.string()).optional(),
  }),
  items: z.array(item),
});

/**
 * Plants a seed from a JSON file. `{portal}` is replaced by the portal's URL, `{server}` by the hosting server's, and
 * `{gis}` by that of the server that hosts nothing.
 *
 * @throws Error that describes what is invalid
 */
export async function plantSeedFile(world: World, path: string): Promise<void> {
  const text = readFileSync(path, 'utf8')
    .replaceAll('{portal}', world.portalUrl)
    .replaceAll('{server}', world.hostingServerUrl)
    .replaceAll('{gis}', world.gisServerUrl);
  const parsed = seedFile.safeParse(JSON.parse(text));
  if (!parsed.success) throw new Error(`The seed ${path} is not valid:\n${z.prettifyError(parsed.error)}`);
  const { group, items } = parsed.data;
  const seed = new SeedBuilder(world, group.owner);
  seed.group(group.id, group.title, group);
  for (const one of items) await plant(seed, group.id, one);
}

async function plant(seed: SeedBuilder, groupId: string, given: z.infer<typeof item>): Promise<void> {
  const { text, json, bytes, resources, service, ...record } = given;
  const fields = { ...record, groups: [groupId] };
  if (service) {
    const describe = (some: z.infer<typeof layers>, first: number) =>
      some.map((one, index) => layer(first + index, one.name, one.count, one.geometryType));
    const shape = {
      layers: describe(service.layers, 0),
      tables: describe(service.tables ?? [], service.layers.length),
    };
    await seed.hosted(fields, service.name, shape);
  } else if (text !== undefined) await seed.file(fields, text);
  else if (json !== undefined) await seed.file(fields, JSON.stringify(json));
  else if (bytes !== undefined) seed.generated(fields, bytes);
  else seed.item(fields);
  for (const [path, content] of Object.entries(resources ?? {})) {
    await seed.resource(given.id, path, content as object);
  }
}
