import type { ErrorCode } from '../../src/model/errors/error-codes';
import type { RunRecord } from '../../src/model/run/run';
import { editLayer } from '../../src/simulator/edit-layer';
import { SeedBuilder } from '../../src/simulator/seed/build';
import { emptyGroupId } from '../../src/simulator/seed/seeds';
import { transportItems, transportTargetGroupId } from '../../src/simulator/seed/transport';
import type { Simulator } from '../../src/simulator/simulator';
import { scheduledTask } from '../support/scheduled-task';
import type { Pair, Seeds } from './pair';
import type { World } from './world';

/** A kind of run: what it finds, and how it begins. */
export interface Kind {
  readonly title: string;
  readonly seeds?: Seeds;
  /** More of both routes in portolan.yaml. */
  readonly route?: (pair: Pair) => Record<string, unknown>;
  /** More of a portal in portolan.yaml. */
  readonly sourcePortal?: Record<string, unknown>;
  readonly targetPortal?: Record<string, unknown>;
  /** Entries of sections of portolan.yaml. */
  readonly sections?: (pair: Pair) => Record<string, Record<string, unknown>>;
  /** Whole sections of portolan.yaml. */
  readonly config?: Record<string, unknown>;
  /** Address of its Temporal server. @default that of the test run, or one of its own */
  readonly temporal?: string;
  /** URL of a `portolan serve` that takes the commands. */
  readonly server?: string;
  /** `limits.packageBytes`, which is the same for all pairs. */
  readonly packageBytes?: (pair: Pair) => number;
  /** Arranges the portals before portolan.yaml is written. */
  readonly furnish?: (pair: Pair) => Promise<void> | void;
  /** Runs that come before. */
  readonly before?: (pair: Pair, world: World) => Promise<void>;
  /** Begins without an approval, or waits for one. */
  readonly begin: (pair: Pair, asks: boolean) => readonly string[];
  readonly canAsk?: boolean;
  /** A resume plans again, and saves once more what it then overwrites. */
  readonly savesAgain?: boolean;
  /** Snapshots are verified all the time, as people may. */
  readonly watchesSnapshots?: boolean;
  /** What others have heard of a run. */
  readonly told?: (record: RunRecord) => unknown;
  /** An unattended run may end with these instead of parking. The next one then ends like the twin. */
  readonly mayEnd?: readonly ErrorCode[];
}

const MB = 1024 ** 2;
const { csv, map, roads, boundaries } = transportItems;

const sync =
  (...flags: readonly string[]): Kind['begin'] =>
  (pair, asks) => ['sync', asks ? pair.asks : pair.free, '--no-wait', ...flags];

const syncAll: Kind['before'] = async (pair, world) => {
  await world.complete('sync', pair.free, '--full', '--no-wait');
};

async function addRow({ world }: Simulator, itemId: string): Promise<void> {
  const service = world.services.find((each) => each.itemId === itemId);
  if (service) await editLayer(world, service.path, 0, { adds: [{ attributes: {} }], rollback: true });
}

/** Someone edits an item and rows of the source, and rows of the target. */
async function edit({ source, target }: Pair): Promise<void> {
  source.world.items.change(csv, { title: 'Edited', modified: source.world.now() });
  await addRow(source, roads);
  await addRow(target, boundaries);
}

/** Someone edits every item: what is equal on both portals is not written. */
export function editAll({ world }: Simulator): void {
  const modified = world.now();
  for (const { id, snippet } of world.items.values())
    world.items.change(id, { snippet: `edited, ${snippet}`, modified });
}

const sizeOfItems = ({ source: { world } }: Pair): number =>
  [...world.items.values()].reduce((sum, { size }) => sum + Math.max(size, 0), 0);

/** The target is the scratch portal of drills too. */
const snapshots: Pick<Kind, 'watchesSnapshots' | 'seeds' | 'route' | 'targetPortal' | 'furnish'> = {
  watchesSnapshots: true,
  seeds: { target: { seed: 'empty' } },
  furnish: (pair) => pair.sizeImage(MB),
  route: (pair) => {
    const empty = { portal: pair.name('target'), group: emptyGroupId };
    return { target: empty, backup: { keep: { last: 1 }, drill: empty } };
  },
  targetPortal: { role: 'scratch' },
};

export const groupIdOf = (at: number): string => `a${String(at).padStart(31, '0')}`;

/** Groups of one item each. */
export const plantGroups =
  (count: number): NonNullable<Kind['furnish']> =>
  async ({ source }) => {
    const seed = new SeedBuilder(source.world);
    for (let at = 1; at <= count; at += 1) {
      const id = groupIdOf(at);
      seed.group(id, `Group ${at}`, { tags: ['official'] });
      const item = { id: id.replace('a', 'b'), title: `Item ${at}`, type: 'PDF', groups: [id] };
      await seed.file(item, `content ${at}`);
    }
  };

async function backUp(pair: Pair, world: World): Promise<void> {
  pair.earlier = (await world.complete('backup', 'create', pair.free, '--no-wait')).runId;
}

const restore = (pair: Pair): string[] => [
  ...['restore', pair.earlier, '--to', pair.name('target'), '--into', emptyGroupId],
  ...['--overwrite', '--no-wait'],
];

export const kinds = {
  sync: {
    title: 'a sync',
    furnish: (pair) => pair.sizeImage(MB),
    begin: sync('--full'),
    canAsk: true,
  },
  inParts: {
    title: 'a sync that uploads in parts',
    begin: sync('--full'),
    canAsk: true,
  },
  bound: {
    title: 'a sync with a banner and a task, which takes over an item',
    seeds: { target: { overwriting: 'replace', refuseForeign: false } },
    furnish: (pair) => {
      pair.sizeImage(MB);
      const { world } = pair.target;
      scheduledTask(pair.target);
      const informationalBanner = { text: 'Closed', bgColor: 'red', fontColor: 'white', enabled: true };
      world.changePortal({ settings: { ...world.portal.settings, informationalBanner } });
      world.folders.put('f00d', { id: 'f00d', username: 'other', title: 'Maps', created: 1 });
      const placed = { owner: 'other', ownerFolder: 'f00d', access: 'org', protected: true } as const;
      world.items.change(map, { ...placed, groups: [transportTargetGroupId] });
    },
    route: (pair) => ({
      banner: { text: 'Content is being updated' },
      taskRun: `${pair.name('target')}/owner/${[...pair.target.world.tasks.values()].at(-1)?.id}`,
    }),
    begin: sync('--full', '--take', map),
  },
  changed: {
    title: 'a sync of what changed',
    furnish: (pair) => pair.sizeImage(MB),
    async before(pair, world) {
      await syncAll(pair, world);
      await edit(pair);
    },
    begin: sync(),
  },
  twoPackages: {
    title: 'a sync in two packages',
    furnish: (pair) => pair.sizeImage(MB),
    packageBytes: () => 1_100_000,
    async before(pair, world) {
      await syncAll(pair, world);
      editAll(pair.source);
    },
    begin: sync('--full'),
    canAsk: true,
  },
  halves: {
    title: 'a sync whose package is split',
    furnish: (pair) => pair.sizeImage(MB),
    packageBytes: (pair) => sizeOfItems(pair) + 40,
    begin: sync('--full'),
    canAsk: true,
  },
  bisect: {
    title: 'a bisect',
    seeds: { target: { failing: [csv, roads] } },
    furnish: (pair) => pair.sizeImage(MB),
    async before(pair, world) {
      pair.earlier = await world.begin('sync', pair.free, '--full', '--no-wait');
      await world.ended(pair.earlier);
      await world.typed('run', 'cancel', pair.earlier);
      await world.reached(pair.earlier, ({ finishedAt }) => finishedAt !== undefined);
    },
    begin: ({ earlier }) => ['run', 'retry', earlier, '--bisect', '--no-wait'],
    mayEnd: ['IMPORT_UNDECIDED'],
  },
  backup: {
    title: 'a backup',
    ...snapshots,
    furnish: (pair) => pair.sizeImage(8 * MB),
    begin: ({ free }) => ['backup', 'create', free, '--no-wait'],
  },
  chain: {
    title: 'a backup that reuses another',
    ...snapshots,
    route: (pair) => ({ ...snapshots.route?.(pair), backup: { full: '90d' } }),
    async before(pair, world) {
      await backUp(pair, world);
      await edit(pair);
    },
    begin: ({ free }) => ['backup', 'create', free, '--no-wait'],
  },
  night: {
    title: 'a scheduled backup',
    ...snapshots,
    sections: (pair) => ({
      schedules: { [`night-${pair.number}`]: { route: pair.free, kind: 'backup', cron: '0 3 1 1 *' } },
    }),
    async before(pair, world) {
      await world.typed('schedule', 'apply', '--yes');
      await backUp(pair, world);
      await edit(pair);
    },
    begin: ({ number }) => ['schedule', 'trigger', `night-${number}`],
    mayEnd: ['EXPORT_UNDECIDED'],
  },
  rule: {
    title: 'a run of a rule',
    watchesSnapshots: true,
    seeds: { source: { seed: 'empty', searchLagMs: 0 }, target: { seed: 'empty' } },
    furnish: plantGroups(3),
    sourcePortal: {
      protect: { official: { groups: 'tags:official', concurrency: 2, backup: { keep: { last: 2 } } } },
    },
    begin: (pair) => ['protect', 'run', `${pair.name('source')}/official`, '--no-wait'],
    mayEnd: ['EXPORT_UNDECIDED'],
  },
  restore: {
    title: 'a restore',
    ...snapshots,
    async before(pair, world) {
      await backUp(pair, world);
      await world.complete(...restore(pair), '--yes');
      editAll(pair.target);
    },
    begin: (pair, asks) => [...restore(pair), ...(asks ? [] : ['--yes'])],
    canAsk: true,
  },
  rollback: {
    title: 'a rollback',
    watchesSnapshots: true,
    furnish: (pair) => pair.sizeImage(MB),
    async before(pair, world) {
      pair.earlier = (await world.complete('sync', pair.free, '--full', '--no-wait')).runId;
    },
    begin: (pair, asks) => [
      ...['run', 'rollback', pair.earlier, '--no-wait', '--delete-created'],
      ...['--yes-delete', pair.name('target'), ...(asks ? [] : ['--yes'])],
    ],
    canAsk: true,
  },
  drill: {
    title: 'a drill',
    ...snapshots,
    before: backUp,
    begin: ({ free }) => ['backup', 'drill', free, '--no-wait'],
  },
  drillImport: {
    title: 'a drill that imports',
    ...snapshots,
    before: backUp,
    begin: ({ free }) => ['backup', 'drill', free, '--import', '--no-wait'],
    mayEnd: ['IMPORT_UNDECIDED'],
  },
} as const satisfies Record<string, Kind>;
