import type { ServiceRecord } from './state/records';
import type { World } from './world';

/** A row as sent and received. */
export interface Feature {
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly geometry?: unknown;
}

export interface Edits {
  readonly adds?: readonly Feature[];
  readonly updates?: readonly Feature[];
  /** Object IDs; `all` empties the layer. */
  readonly deletes?: readonly number[] | 'all';
  /** One failed edit undoes the others. */
  readonly rollback: boolean;
}

export interface EditResult {
  readonly objectId: number;
  readonly success: boolean;
  readonly error?: { readonly code: number; readonly description: string };
}

export interface EditResults {
  readonly adds: EditResult[];
  readonly updates: EditResult[];
  readonly deletes: EditResult[];
}

const missing = { code: 1019, description: 'Object is missing.' };
const rolledBack = { code: 1003, description: 'Operation rolled back.' };

/** Edits of one portal run one after the other. */
const queues = new WeakMap<World, Promise<unknown>>();

/**
 * Edits rows of a layer or table, and updates its count and last edit date. The service's item does not change
 * (docs/reference/portal-interface.md, "Layers").
 */
export function editLayer(world: World, path: string, layerId: number, edits: Edits): Promise<EditResults> {
  const before = queues.get(world) ?? Promise.resolve();
  const turn = before.then(() => edit(world, path, layerId, edits));
  queues.set(
    world,
    turn.catch(() => undefined),
  );
  return turn;
}

async function edit(world: World, path: string, layerId: number, edits: Edits): Promise<EditResults> {
  const file = world.files.featuresPath(world.services.get(path)?.itemId ?? '', layerId);
  const rows = new Map(
    ((await world.files.readText(file)) ?? '')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Feature)
      .map((row) => [objectIdOf(row), row]),
  );
  const results = apply(rows, edits);
  const all = [...results.adds, ...results.updates, ...results.deletes];
  const failed = all.some(({ success }) => !success);
  if (failed && edits.rollback) return undone(results);
  if (!all.some(({ success }) => success)) return results;
  const lines = [...rows.values()].map((row) => JSON.stringify(row));
  await world.files.write(file, lines.join('\n'));
  recordEdit(world, path, layerId, rows.size);
  return results;
}

function apply(rows: Map<number, Feature>, edits: Edits): EditResults {
  let last = Math.max(0, ...rows.keys());
  const done = (objectId: number): EditResult => ({ objectId, success: true });
  const adds = (edits.adds ?? []).map(({ attributes, geometry }) => {
    last += 1;
    rows.set(last, {
      attributes: { ...attributes, OBJECTID: last },
      ...(geometry !== undefined && { geometry }),
    });
    return done(last);
  });
  const updates = (edits.updates ?? []).map((update) => {
    const objectId = objectIdOf(update);
    const row = rows.get(objectId);
    if (!row) return { objectId, success: false, error: missing };
    const { geometry = row.geometry } = update;
    rows.set(objectId, {
      attributes: { ...row.attributes, ...update.attributes },
      ...(geometry !== undefined && { geometry }),
    });
    return done(objectId);
  });
  const desired = edits.deletes === 'all' ? [...rows.keys()] : (edits.deletes ?? []);
  const deletes = desired.map((objectId) =>
    rows.delete(objectId) ? done(objectId) : { objectId, success: false, error: missing },
  );
  return { adds, updates, deletes };
}

const objectIdOf = ({ attributes }: Feature): number => Number(attributes['OBJECTID'] ?? -1);

function undone({ adds, updates, deletes }: EditResults): EditResults {
  const undo = (results: readonly EditResult[]): EditResult[] =>
    results.map((one) => (one.success ? { ...one, success: false, error: rolledBack } : one));
  return { adds: undo(adds), updates: undo(updates), deletes: undo(deletes) };
}

/** A layer without an edit date still has none afterwards. */
function recordEdit(world: World, path: string, layerId: number, count: number): void {
  const service = world.services.get(path);
  if (!service) return;
  const touched = (layers: ServiceRecord['layers']): ServiceRecord['layers'] =>
    layers.map((layer) => {
      if (layer.id !== layerId) return layer;
      return { ...layer, count, ...(layer.lastEditDate !== undefined && { lastEditDate: world.now() }) };
    });
  world.services.change(path, { layers: touched(service.layers), tables: touched(service.tables) });
}
