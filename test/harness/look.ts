import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import { ledger, type Ledger } from '../../src/model/transfer/ledger';
import { ledgerLists } from '../../src/model/transfer/ledger-lists';
import {
  directions,
  portalQueueId,
  portalQueueMemoKey,
  type PortalQueueState,
} from '../../src/model/run/portal-queue';
import { readDeliveries } from '../../src/domain/notify/deliveries';
import { listSnapshots } from '../../src/domain/snapshot/list-snapshots';
import { openSnapshots } from '../../src/domain/snapshot/snapshots';
import type { RunRecord } from '../../src/model/run/run';
import { transportTask } from '../../src/simulator/seed/transport';
import type { RequestLogEntry } from '../../src/simulator/request-log';
import type { ItemRecord } from '../../src/simulator/state/records';
import type { World as PortalWorld } from '../../src/simulator/world';
import { packagesIn } from '../../src/model/snapshot/snapshot';
import { keys } from '../../src/store/keys';
import { withTemporal } from '../../src/temporal/connection';
import { type Pair, sides } from './pair';
import { partsSentAgain } from '../transfers/cut-connection';
import type { World } from './world';

/** All that can be seen after a run; what depends on chance is left out. */
export interface Seen {
  readonly outcome: unknown;
  readonly portals: unknown;
  readonly store: readonly string[];
  /** Snapshots of the route: their packages, and how many items changed since the parent snapshot. */
  readonly snapshots: readonly unknown[];
  /** How many there are that must not be doubled: jobs of each portal, runs, actions of people. */
  readonly counts: Readonly<Record<string, number>>;
  /** Imports that were sent, received or not, except those that the portal refused to take. */
  readonly imports: number;
  readonly left: readonly string[];
  /** Parts of files that were sent again although the portal held them. */
  readonly partsAgain: readonly string[];
}

/** Fields that differ from one import to the next, and where the portal keeps its bytes. */
const passing: ReadonlySet<keyof ItemRecord> = new Set([
  ...(['created', 'modified', 'data', 'importedBy', 'indexedAt', 'readableAt'] as const),
]);
/** Texts with addresses are smaller than this. */
const TEXT_MAX = 1024 ** 2;

export async function look(
  world: World,
  pair: Pair,
  record: RunRecord,
  parts: readonly string[],
): Promise<Seen> {
  const { store } = world;
  const lists = await store.readJson(keys.ledger(record.runId), ledger);
  const { status, target, error, verification, warnings, package: sent, proof, groups, children } = record;
  // Read first: the rest is final once nothing is left.
  const left = [...leftOnPortals(pair), ...(await leftInStore(world, pair, [record.runId, ...parts]))].concat(
    record.leftRunning.map((each) => `job ${each}`),
    await queued(world, pair),
    await undelivered(world, record),
  );
  const plain = <T>(value: T): T => JSON.parse(pair.plain(JSON.stringify(value ?? null))) as T;
  return {
    outcome: plain({
      status,
      target,
      code: error?.code,
      verification,
      proof,
      parts: sent?.parts ?? 1,
      ledger: lists && idsOf(lists),
      warnings: warnings.map(String).sort(),
      told: world.kind.told?.(record),
      // Other runs may divide their items in another way.
      groups: groups && {
        ...groups,
        ended: children?.map(({ name, status: end }) => `${name} ${end}`).sort(),
      },
    }),
    portals: plain({ source: await holdings(pair, 'source'), target: await holdings(pair, 'target') }),
    store: await storedBy(world, pair, record, parts),
    snapshots: await snapshotsOf(world, pair),
    counts: count([
      ...sides.flatMap((side) => [...pair[side].world.jobs.values()].map(({ type }) => `${side} ${type}`)),
      // An approved run has more parts.
      ...(await store.names(keys.runs))
        .filter((name) => isOf(pair, `-${name}/`) && !/_\d+$/.test(name))
        .map(() => 'run'),
      ...record.actions.map(({ what }) => what),
    ]),
    imports:
      pair.wires.target.crossings.filter(({ operation }) => operation === 'import').length -
      pair.target.requests().filter(isRefusedImport).length,
    left,
    partsAgain: partsSentAgain(pair.target.requests()),
  };
}

const isRefusedImport = ({ operation, params, status, errorCode }: RequestLogEntry): boolean =>
  operation === 'group.import' &&
  params['previewOnly'] !== 'true' &&
  (status === 429 || errorCode === 498 || errorCode === 499);

/** Whether it is named after a run of a route, a pipeline or a rule of the pair. */
const isOf = (pair: Pair, name: string): boolean =>
  new RegExp(`[-/](${pair.free}|${pair.asks}|${pair.line}|${pair.name('source')})[-./]`).test(name);

const idsOf = (lists: Ledger): Record<string, readonly string[]> =>
  Object.fromEntries(ledgerLists.map((name) => [name, lists[name].map(({ itemId }) => itemId).sort()]));

function count(words: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const word of words) counts[word] = (counts[word] ?? 0) + 1;
  return counts;
}

/** All that a portal holds: settings, folders, items with their data, resources, layers and rows. */
async function holdings(pair: Pair, side: 'source' | 'target'): Promise<unknown> {
  const { world } = pair[side];
  const hashed = (bytes: Buffer): string =>
    createHash('sha256')
      .update(bytes.length < TEXT_MAX ? pair.plain(bytes.toString('latin1')) : bytes)
      .digest('hex');
  const items = [...world.items.values()].sort((one, other) => one.id.localeCompare(other.id));
  return {
    settings: world.portal.settings,
    categories: world.portal.categorySchema,
    tasks: [...world.taskRuns.values()].map(({ status }) => status),
    folders: [...world.folders.values()].map(({ username, title }) => `${username}/${title}`).sort(),
    items: await Promise.all(
      items.map(async (item) => ({
        ...Object.fromEntries(
          Object.entries(item).filter(([name]) => !passing.has(name as keyof ItemRecord)),
        ),
        ownerFolder: item.ownerFolder && world.folders.get(item.ownerFolder)?.title,
        data: hashed(await buffer(world.files.readData(item))),
        resources: await Promise.all(
          world
            .resourcesOf(item.id)
            .map(async ({ resource }) => [
              resource,
              hashed(await readFile(world.files.resourcePath(item.id, resource))),
            ]),
        ),
        layers: await layersOf(world, item.id, hashed),
      })),
    ),
  };
}

async function layersOf(
  world: PortalWorld,
  itemId: string,
  hashed: (bytes: Buffer) => string,
): Promise<unknown> {
  const service = world.services.find((each) => each.itemId === itemId);
  if (!service) return undefined;
  const rows = [...service.layers, ...service.tables].map(async ({ lastEditDate: _, ...layer }) => {
    const file = await readFile(world.files.featuresPath(itemId, layer.id)).catch(() => Buffer.alloc(0));
    return { ...layer, rows: hashed(file) };
  });
  return { path: service.path, layers: await Promise.all(rows) };
}

const leftOnPortals = (pair: Pair): string[] => [
  ...sides.flatMap((side) =>
    [...pair[side].world.items.values()]
      .filter(({ type }) => type === 'Export Package')
      .map(({ title }) => `package ${title} on ${side}`),
  ),
  // One that is bound to a run ends a moment after it.
  ...[...pair.target.world.taskRuns.values()]
    .filter(({ id, status }) => id !== transportTask.runId && status === 'executing')
    .map(({ id }) => `task run ${id}`),
];

async function leftInStore(world: World, pair: Pair, runIds: readonly string[]): Promise<string[]> {
  const { store } = world;
  const left: string[] = [];
  for (const runId of runIds) {
    for await (const key of store.list(keys.working(runId))) left.push(key);
    for await (const key of store.list(keys.packages)) if (key.includes(runId)) left.push(key);
  }
  return left.map((key) => pair.plain(key));
}

async function snapshotsOf(world: World, pair: Pair): Promise<unknown[]> {
  const { readable, unreadable } = await listSnapshots(openSnapshots(world.config));
  const own = readable.map(({ manifest }) => manifest).filter(({ id }) => isOf(pair, id));
  return [
    ...own.map((each) => ({ packages: packagesIn(each).length, changed: each.since?.changed ?? 'all' })),
    ...unreadable.filter(({ id }) => isOf(pair, id)).map(({ why }) => why),
  ];
}

/** Files of the run, and snapshots, releases and promotions of the pair, by what they are. */
async function storedBy(
  world: World,
  pair: Pair,
  { runId }: RunRecord,
  parts: readonly string[],
): Promise<string[]> {
  const { store } = world;
  const found: string[] = [];
  for (const prefix of [keys.snapshots, keys.releases, keys.promotions])
    for await (const key of store.list(prefix)) if (isOf(pair, key)) found.push(key);
  for (const each of [runId, ...parts]) for await (const key of store.list(keys.run(each))) found.push(key);
  const nameless = found.map((key) =>
    pair
      .plain(key)
      .replaceAll(/-(free|asks|line)[-.]([\w.]|-)+/g, '')
      .replaceAll(/[0-9a-f]{32,}/g, 'ID')
      .replaceAll(/\d+/g, 'N'),
  );
  // An approval that a run waits for leaves a file, which the twin's does not.
  return [...new Set(nameless)].filter((name) => !name.endsWith('/approval.json')).sort();
}

/** A message may be accepted long after the end of its run. */
async function undelivered({ config, store }: World, { runId }: RunRecord): Promise<string[]> {
  const all = await Promise.all(config.notify.map(({ name }) => readDeliveries(store, name)));
  return all
    .flatMap(({ open }) => open)
    .filter((note) => note.runId === runId)
    .map(({ event }) => `message ${event}`);
}

/** A run leaves its portal queues a moment after its end. */
async function queued({ config }: World, pair: Pair): Promise<string[]> {
  const { taskQueue } = config.temporal;
  const queueIds = sides.flatMap((side) =>
    directions.map((direction) => portalQueueId({ taskQueue, portal: pair.name(side), direction })),
  );
  return await withTemporal(config, async ({ client }) => {
    const held = queueIds.map(async (queueId) => {
      const described = await client.workflow
        .getHandle(queueId)
        .describe()
        .catch(() => undefined);
      if (described?.status.name !== 'RUNNING') return [];
      const state = described.memo?.[portalQueueMemoKey] as PortalQueueState | undefined;
      return [...(state?.holders ?? []).map((holder) => holder.runId), ...(state?.waiting ?? [])];
    });
    return (await Promise.all(held)).flat().map((runId) => `queued ${runId}`);
    // On a busy machine Temporal may answer too late. What is left is looked at again.
  }).catch((error: Error) => [error.message]);
}
