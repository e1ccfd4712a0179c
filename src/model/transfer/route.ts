import type { TaskAddress } from '../portal-change/task-run';

/**
 * A route as a run sees it: resolved from portolan.yaml and the command line by the starter, sent with
 * the start of the run, checked against the worker's configuration, and frozen from then on.
 * It holds no secret.
 */
export interface Route extends RunRoute {
  readonly target: RouteTarget;
}

/** The same for a run of any kind: a backup goes nowhere. */
export interface RunRoute {
  /** Name in portolan.yaml; `adhoc` for `--from … --into …`. */
  readonly name: string;
  /** Of a restore: the portal and group of which its snapshot was taken, which this configuration need not know. */
  readonly source: RouteEnd;
  readonly target?: RouteTarget;
  readonly options: RouteOptions;
}

export interface RouteEnd {
  /** Name of the portal in portolan.yaml. */
  readonly portal: string;
  /** `{base_url}` as the starter's configuration has it, without a trailing slash. */
  readonly url: string;
  readonly groupId: string;
  /** Exports and imports that this portal is given at a time. @default one of each */
  readonly concurrency?: { readonly exports: number; readonly imports: number };
}

export interface RouteTarget extends RouteEnd {
  /** Folder *id* for the imported items (portals from 10.9). @default the portal's own choice */
  readonly folderId?: string;
  /** Owner of that folder (portals from 10.9). */
  readonly folderOwner?: string;
}

/** What visitors of the target see at the top of its pages. docs/reference/portal-interface.md, "Settings" */
export interface RouteBanner {
  readonly text: string;
  /** Color name or hexadecimal value. */
  readonly bgColor: string;
  readonly fontColor: string;
}

export type Approval = 'none' | 'ask' | 'required';
export type DataPolicy = 'keep' | 'replace';

export interface RouteOptions {
  /** Overwrite what exists on the target. @default false */
  readonly overwrite: boolean;
  /** Whether the data of hosted layers that exist is kept or replaced when overwriting. @default 'keep' */
  readonly data: DataPolicy;
  /** @default 'ask' */
  readonly approval: Approval;
  /** Only these items of the source group. @default all of them */
  readonly items?: readonly string[];
  /** The same as a part of a list in the store: for lists that are too long to travel. @default all of them */
  readonly itemList?: ItemList;
  /** Left out, as if the source group did not hold it. @default nothing */
  readonly exclude?: Exclusion;
  /** Everything goes, also what neither side has touched. @default false */
  readonly full?: boolean;
  /** Everything goes where it last did so long ago. @format milliseconds @default never */
  readonly fullEveryMs?: number;
  /** Blocked items that are taken nevertheless. */
  readonly take: readonly string[];
  /** Stop after the plan. @default false */
  readonly planOnly: boolean;
  /** Accept that the group lost over half of its items since the last run. @default false */
  readonly allowShrink: boolean;
  /** Leave the package items on both portals. @default false */
  readonly keepPackages: boolean;
  /** A portal job that has not ended by then is given up. @format milliseconds @default 6 hours */
  readonly jobDeadlineMs: number;
  /** How long a run waits for a person, be it for an approval or parked. @format milliseconds @default 7 days */
  readonly decisionTimeoutMs?: number;
  /** The portal's own scheduled task that is notified how the run goes. */
  readonly taskRun?: TaskAddress;
  /** Shown on the target while the run imports, unless it is absent. */
  readonly banner?: RouteBanner;
  readonly limits: Limits;
}

/** A part of a list of item ids, `[id, …]`, that lies in the store. */
export interface ItemList {
  readonly key: string;
  /** Where the part begins, from 0. */
  readonly from: number;
  readonly count: number;
}

/** Whether only some items of the group are asked for. */
export const isChosen = ({ items, itemList }: RouteOptions): boolean =>
  items !== undefined || itemList !== undefined;

export interface Limits {
  /** @format bytes @default 5 GB */
  readonly packageBytes: number;
  /** @format bytes @default 1 GB */
  readonly itemBytes: number;
  /** @format bytes @default 10 GB */
  readonly freeDiskBytes: number;
}

/** Items a sync excludes: by ID, type or tag. */
export interface Exclusion {
  readonly items?: readonly string[];
  /** As on the portal, ignoring case. */
  readonly types?: readonly string[];
  /** As on the portal, ignoring case. */
  readonly tags?: readonly string[];
}

/** The fields of an item that decide about its exclusion. */
interface ExcludableItem {
  readonly id: string;
  readonly type?: string | null;
  readonly tags?: readonly string[] | null;
}

const kinds = ['items', 'types', 'tags'] as const satisfies readonly (keyof Exclusion)[];
const folded = (text: string): string => text.trim().toLowerCase();

/** Both exclusions together; undefined if empty. */
export function joinExclusions(
  one: Exclusion | undefined,
  other: Exclusion | undefined,
): Exclusion | undefined {
  const join = (kind: keyof Exclusion): readonly string[] | undefined => {
    const all = [...new Set([...(one?.[kind] ?? []), ...(other?.[kind] ?? [])])];
    return all.length > 0 ? all : undefined;
  };
  const joined: Exclusion = { items: join('items'), types: join('types'), tags: join('tags') };
  return kinds.some((kind) => joined[kind]) ? joined : undefined;
}

/** Why an item is excluded, for people; undefined if it is not. */
function whyExcluded(
  { items = [], types = [], tags = [] }: Exclusion,
  item: ExcludableItem,
): string | undefined {
  if (items.includes(item.id)) return 'excluded by ID';
  const { type } = item;
  if (type && types.map(folded).includes(folded(type))) return `excluded by type: ${type}`;
  const excluded = tags.map(folded);
  const tag = item.tags?.find((each) => excluded.includes(folded(each)));
  return tag === undefined ? undefined : `excluded by tag: ${tag}`;
}

/** The excluded items of a listing, by ID, with the reason. */
export function excludedFrom(
  listed: Iterable<ExcludableItem>,
  exclusion: Exclusion | undefined,
): Map<string, string> {
  const found = new Map<string, string>();
  if (!exclusion) return found;
  for (const item of listed) {
    const why = whyExcluded(exclusion, item);
    if (why !== undefined) found.set(item.id, why);
  }
  return found;
}

/** What one exclusion lacks of another, such as `type Dashboard`. */
export const notExcluded = (by: Exclusion = {}, desired: Exclusion = {}): string[] =>
  kinds.flatMap((kind) => {
    const there = new Set((by[kind] ?? []).map(folded));
    return (desired[kind] ?? [])
      .filter((each) => !there.has(folded(each)))
      .map((each) => `${kind.slice(0, -1)} ${each}`);
  });
