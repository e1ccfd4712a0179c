import { readFileSync } from 'node:fs';
import { z } from 'zod';
import type { World } from '../world';
import { SeedBuilder, layer } from './build';
import { builtInUsers } from './users';

const layers = z.array(
  z.strictObject({ name: z.string(), count: z.number().int(), geometryType: z.string().optional() }),
);

const item = z.strictObject({
  id: z.string().regex(/^[0-9a-f]{32}$/),
  title: z.string(),
  type: z.string(),
  owner: z.string().optional(),
  /** IDs of its groups. @default the seed's own group */
  groups: z.array(z.string()).optional(),
  name: z.string().optional(),
  url: z.string().optional(),
  typeKeywords: z.array(z.string()).optional(),
  tags: z.array(z.string()).optional(),
  snippet: z.string().optional(),
  modified: z.number().optional(),
  relations: z.array(z.strictObject({ type: z.string(), to: z.string() })).optional(),
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

const group = z.strictObject({
  id: z.string().regex(/^[0-9a-f]{32}$/),
  title: z.string(),
  owner: z.string().optional(),
  members: z.array(z.string()).optional(),
  access: z.enum(['private', 'org', 'public']).optional(),
  tags: z.array(z.string()).optional(),
  capabilities: z.array(z.string()).optional(),
});

const seedFile = z.strictObject({
  group: group.optional(),
  /** Further groups, whose items name them. */
  groups: z.array(group).default([]),
  items: z.array(item).default([]),
  /** Publishers besides the built-in users; they have the password of `owner`. */
  users: z.array(z.string()).default([]),
  /** Map services of the server that hosts nothing. */
  services: z.array(z.strictObject({ folder: z.string(), name: z.string(), layers })).default([]),
  settings: z.record(z.string(), z.unknown()).optional(),
});

/** Plants a seed from a JSON file. */
export const plantSeedFile = (world: World, path: string): Promise<void> =>
  plantSeedText(world, readFileSync(path, 'utf8'), path);

/**
 * Plants a seed from JSON. `{portal}` is replaced by the portal's URL, `{server}` by the hosting server's, and `{gis}` by
 * that of the server that hosts nothing.
 *
 * @throws Error that describes what is invalid
 */
export async function plantSeedText(world: World, text: string, name: string): Promise<void> {
  const filled = text
    .replaceAll('{portal}', world.portalUrl)
    .replaceAll('{server}', world.hostingServerUrl)
    .replaceAll('{gis}', world.gisServerUrl);
  const parsed = seedFile.safeParse(JSON.parse(filled));
  if (!parsed.success) throw new Error(`The seed ${name} is not valid:\n${z.prettifyError(parsed.error)}`);
  const { group, groups, items, users, services, settings } = parsed.data;
  const seed = new SeedBuilder(world, group?.owner);
  const publisher = world.users.get(builtInUsers.owner.username);
  for (const username of users)
    if (publisher) world.users.put(username, { ...publisher, username, fullName: username });
  for (const each of [...(group ? [group] : []), ...groups]) seed.group(each.id, each.title, each);
  for (const { folder, name: service, layers: some } of services)
    seed.mapService(folder, service, { layers: described(some), tables: [] });
  if (settings) world.changePortal({ settings });
  for (const one of items) await plant(seed, group ? [group.id] : [], one);
}

const described = (some: z.infer<typeof layers>, first = 0) =>
  some.map((one, index) => layer(first + index, one.name, one.count, one.geometryType));

async function plant(seed: SeedBuilder, groups: string[], given: z.infer<typeof item>): Promise<void> {
  const { text, json, bytes, resources, service, ...record } = given;
  const fields = { ...record, groups: given.groups ?? groups };
  if (service) {
    const shape = {
      layers: described(service.layers),
      tables: described(service.tables ?? [], service.layers.length),
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
