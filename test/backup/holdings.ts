import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { entryNames } from '../../src/simulator/package/manifest';
import { PackageReader } from '../../src/simulator/package/read';
import type { ItemRecord, ServiceRecord } from '../../src/simulator/state/records';
import type { World } from '../../src/simulator/world';

/** What an item holds, by hashes: the bytes of its data, its resources and thumbnail, and the rows of its layers. */
export interface Holding {
  readonly item: ItemRecord;
  readonly data: string;
  /** Without the times of their edits. */
  readonly layers: readonly object[];
  readonly rows: Readonly<Record<string, string>>;
  readonly resources: Readonly<Record<string, string>>;
}

/** A text of one portal as another one has it. */
export type Translate = (text: string) => string;

const asItIs: Translate = (text) => text;
const hashOf = (bytes: Buffer | string) => createHash('sha256').update(bytes).digest('hex');

async function bytesOf(stream: AsyncIterable<unknown>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

/** Text is translated; what is not text stays as it is. */
function translated(bytes: Buffer, translate: Translate) {
  const text = bytes.toString();
  return Buffer.from(text).equals(bytes) ? Buffer.from(translate(text)) : bytes;
}

const layersOf = (service: ServiceRecord | undefined) =>
  service ? [...service.layers, ...service.tables] : [];

/** A record without some of its fields. */
export const without = (names: readonly string[], record: object): object =>
  Object.fromEntries(Object.entries(record).filter(([name]) => !names.includes(name)));

/** What a portal keeps for itself, but for packages. */
export const isNoPackage = ({ type }: ItemRecord): boolean => type !== 'Export Package';

/** What a portal holds, by the ids of its items. */
export async function holdingsOf(
  world: World,
  isMeant: (item: ItemRecord) => boolean = () => true,
  translate: Translate = asItIs,
): Promise<Map<string, Holding>> {
  const services = new Map([...world.services.values()].map((service) => [service.itemId, service]));
  const holdings = new Map<string, Holding>();
  for (const item of [...world.items.values()].filter(isMeant)) {
    const rows: Record<string, string> = {};
    const layers = layersOf(services.get(item.id));
    for (const { id } of layers) rows[id] = hashOf(await readFile(world.files.featuresPath(item.id, id)));
    const resources: Record<string, string> = {};
    for (const { resource } of world.resourcesOf(item.id)) {
      const bytes = await readFile(world.files.resourcePath(item.id, resource));
      resources[resource] = hashOf(translated(bytes, translate));
    }
    if (item.thumbnail)
      resources[item.thumbnail] = hashOf(await readFile(world.files.thumbnailPath(item.id)));
    const data = translated(await bytesOf(world.files.readData(item)), translate);
    const definitions = layers.map((layer) => without(['lastEditDate'], layer));
    holdings.set(item.id, { item, data: hashOf(data), layers: definitions, rows, resources });
  }
  return holdings;
}

type Packed = Pick<Holding, 'item' | 'data' | 'rows'>;

/** What a package holds. */
export async function holdingsOfPackage(path: string): Promise<Map<string, Packed>> {
  const reader = await PackageReader.open(path);
  try {
    const holdings = new Map<string, Packed>();
    for await (const line of reader.itemLines()) {
      const item = JSON.parse(line) as ItemRecord;
      const inline = item.data?.kind === 'inline' ? Buffer.from(item.data.base64, 'base64') : undefined;
      const entry = entryNames.data(item.id);
      const outside = reader.has(entry) ? await bytesOf(await reader.stream(entry)) : Buffer.alloc(0);
      const rows: Record<string, string> = {};
      if (reader.has(entryNames.service(item.id))) {
        const service = JSON.parse(await reader.text(entryNames.service(item.id))) as ServiceRecord;
        for (const { id } of layersOf(service))
          rows[id] = hashOf(await bytesOf(await reader.stream(entryNames.features(item.id, id))));
      }
      holdings.set(item.id, { item, data: hashOf(inline ?? outside), rows });
    }
    return holdings;
  } finally {
    reader.close();
  }
}
