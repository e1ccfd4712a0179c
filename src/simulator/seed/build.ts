import { newItem } from '../item-records';
import type { GroupRecord, ItemRecord, LayerRecord } from '../state/records';
import type { World } from '../world';
import { builtInUsers } from './users';

type ItemFields = Partial<ItemRecord> & Pick<ItemRecord, 'id' | 'title' | 'type'>;

/** Puts a seed's group, items, files and services into an empty world. */
export class SeedBuilder {
  /** Seeded items are older than the portal's start, so that later edits are newer. */
  readonly past = Date.UTC(2026, 8, 1, 8, 0, 0);

  constructor(
    readonly world: World,
    readonly owner: string = builtInUsers.owner.username,
  ) {}

  group(id: string, title: string, fields: Partial<GroupRecord> = {}): GroupRecord {
    return this.world.groups.put(id, {
      id,
      title,
      owner: this.owner,
      members: [builtInUsers.viewer.username],
      access: 'private',
      capabilities: [],
      created: this.past,
      modified: this.past,
      ...fields,
    });
  }

  /** An item without data. */
  item(fields: ItemFields): ItemRecord {
    const item = newItem(this.world, {
      owner: this.owner,
      created: this.past,
      modified: this.past,
      readableAt: this.past,
      indexedAt: this.past,
      ...(fields.groups && { access: 'shared' as const }),
      ...fields,
    });
    return this.world.items.put(item.id, item);
  }

  /** An item whose data is text; objects are written as JSON. */
  async file(fields: ItemFields, content: string | Buffer | object): Promise<ItemRecord> {
    const bytes = typeof content === 'string' || Buffer.isBuffer(content) ? content : JSON.stringify(content);
    const size = await this.world.files.write(this.world.files.dataPath(fields.id), bytes);
    return this.item({ ...fields, size, data: { kind: 'file' } });
  }

  /** An item whose data is generated at each read, so that it needs no disk. */
  generated(fields: ItemFields, bytes: number, seed = 1): ItemRecord {
    return this.item({ ...fields, size: bytes, data: { kind: 'generated', seed } });
  }

  async resource(itemId: string, resource: string, content: object): Promise<void> {
    const path = this.world.files.resourcePath(itemId, resource);
    const size = await this.world.files.write(path, JSON.stringify(content));
    this.world.resources.put(`${itemId}/${resource}`, { itemId, resource, size, created: this.past });
  }

  /** A public map service, without an item, of the federated server that hosts nothing. */
  mapService(folder: string, name: string, shape: ServiceShape): string {
    const path = `gis/${folder}/${name}/MapServer`;
    this.world.services.put(path, { path, ...shape });
    return `${this.world.gisServerUrl}/rest/services/${folder}/${name}/MapServer`;
  }

  /** A scheduled task with one open run. */
  task(id: string, runId: string, title: string, itemId: string): void {
    const { world, past } = this;
    world.tasks.put(id, {
      id,
      username: this.owner,
      itemId,
      type: 'ExecuteNotebook',
      title,
      cronSchedule: { minute: '0', hour: '3', dayOfMonth: '?', month: '*', dayOfWeek: '*' },
      parameters: {},
      created: past,
      updated: past,
      active: true,
    });
    world.taskRuns.put(runId, {
      id: runId,
      taskId: id,
      status: 'executing',
      result: '',
      created: past,
      modified: past,
    });
  }

  /** A hosted feature service with features in its layers and tables. */
  async hosted(fields: ItemFields, name: string, shape: ServiceShape): Promise<ItemRecord> {
    const url = `${this.world.hostingServerUrl}/rest/services/Hosted/${name}/FeatureServer`;
    const path = `server/Hosted/${name}/FeatureServer`;
    const item = this.item({
      ...fields,
      name,
      url,
      size: -1,
      typeKeywords: [...hostedKeywords, ...(fields.typeKeywords ?? [])],
    });
    for (const layer of [...shape.layers, ...shape.tables]) {
      await this.world.files.write(this.world.files.featuresPath(item.id, layer.id), features(layer));
    }
    this.world.services.put(path, { path, itemId: item.id, ...shape });
    return item;
  }
}

interface ServiceShape {
  readonly layers: readonly LayerRecord[];
  readonly tables: readonly LayerRecord[];
}

const hostedKeywords = [
  'ArcGIS Server',
  'Data',
  'Feature Access',
  'Feature Service',
  'Hosted Service',
  'Service',
];

/** Describes a layer (with a geometry) or a table of a hosted service. */
export function layer(id: number, name: string, count: number, geometryType?: string): LayerRecord {
  return {
    id,
    name,
    count,
    ...(geometryType !== undefined && { geometryType }),
    lastEditDate: Date.UTC(2026, 8, 1, 9, id, 0),
    fields: [
      { name: 'OBJECTID', type: 'esriFieldTypeOID' },
      { name: 'NAME', type: 'esriFieldTypeString' },
      { name: 'STATUS', type: 'esriFieldTypeString' },
    ],
  };
}

function features({ count, name, geometryType }: LayerRecord): string {
  const lines: string[] = [];
  for (let id = 1; id <= count; id++) {
    const attributes = { OBJECTID: id, NAME: `${name} ${id}`, STATUS: id % 3 === 0 ? 'closed' : 'open' };
    const geometry = geometryType && { x: -13_600_000 + id * 10, y: 6_000_000 + (id % 100) * 10 };
    lines.push(JSON.stringify({ attributes, ...(geometry && { geometry }) }));
  }
  return lines.join('\n');
}
