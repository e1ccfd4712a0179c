import type { FaultRule } from '../../src/simulator/faults';
import type { RequestLogEntry } from '../../src/simulator/request-log';
import type { Site } from '../support/site';

export const sides = ['source', 'target'] as const;
export type Side = (typeof sides)[number];

/** What a sync may be like: of small items; of one that goes up in parts; of what changed since another; in two packages. */
export const shapes = ['small', 'in parts', 'what changed', 'two packages'] as const;
export type Shape = (typeof shapes)[number];

/**
 * A call that a sync makes. What serves several ends of a sync is told apart by them: the item that it is about, and
 * whether it comes before or after the import.
 */
export interface Endpoint {
  readonly side: Side;
  readonly method: string;
  readonly operation: string;
  /** Value of `previewOnly` in the body. */
  readonly previewOnly?: string;
  /** It begins an upload in parts. */
  readonly multipart?: string;
  readonly about?: 'item' | 'package';
  /** Regular expression on the path that tells items from packages. */
  readonly path?: string;
  /** On the target only. */
  readonly when?: 'before import' | 'after import';
  /** The sync that it is taken from, and met in. */
  readonly shape: Shape;
  /** It is about the second of two packages, and the first of these is so many calls behind the first. @default neither */
  readonly nth?: number;
}

/** Of a sync that brings everything in one package. */
export const isOfAll = ({ shape }: Endpoint): boolean => shape === 'small' || shape === 'in parts';

const idIn = (path: string): string | undefined => /\/items\/([0-9a-f]{32})(\/|$)/.exec(path)?.[1];

/** Ids of items that a site asked for. Those of packages differ from one to the next. */
export const itemIdsIn = (site: Site): Set<string> =>
  new Set(sides.flatMap((side) => site[side].requests().flatMap(({ path }) => idIn(path) ?? [])));

const isImport = ({ operation, params }: RequestLogEntry): boolean =>
  operation === 'group.import' && params['previewOnly'] !== 'true';

interface Sync {
  readonly shape: Shape;
  /** Ids of what is no package. */
  readonly items: ReadonlySet<string>;
}

/** Every distinct call in the logs of a site, in the order in which they came first. */
export function endpointsOf(site: Site, sync: Sync): Endpoint[] {
  return sides.flatMap((side) => [
    ...new Map(callsOf(site, side, sync).map(({ endpoint }) => [titleOf(endpoint), endpoint])).values(),
  ]);
}

/** Titles of calls that come before anything is exported. */
export const asksFirst = (site: Site, sync: Sync): Set<string> => {
  const exportAt = site.source.requests().find(({ operation }) => operation === 'group.export')?.at ?? '';
  const calls = sides.flatMap((side) => callsOf(site, side, sync));
  return new Set(
    calls.flatMap(({ endpoint, request }) =>
      request.at < exportAt ? [`${endpoint.side} ${titleOf(endpoint)}`] : [],
    ),
  );
};

/** The first call about the second package, of every kind of call that is made for each. */
export function endpointsOfSecond(site: Site, sync: Sync): Endpoint[] {
  return sides.flatMap((side) => {
    const seen = new Map<string, { calls: number; packages: Set<string>; second?: Endpoint }>();
    for (const { endpoint, request } of callsOf(site, side, sync)) {
      if (!eachPackage.has(endpoint.operation) && endpoint.about !== 'package') continue;
      const title = titleOf(endpoint);
      const before = seen.get(title) ?? { calls: 0, packages: new Set<string>() };
      const calls = before.calls + 1;
      const packages = new Set(before.packages).add(packageIn(request, calls) ?? '');
      const isSecond = before.packages.size === 1 && packages.size === 2;
      seen.set(title, {
        ...before,
        calls,
        packages,
        ...(isSecond && { second: { ...endpoint, nth: calls } }),
      });
    }
    return [...seen.values()].flatMap(({ second }) => second ?? []);
  });
}

/** What is called for each package, and names none in its path. */
const eachPackage: ReadonlySet<string> = new Set([
  ...['group.export', 'job', 'item.add', 'group.import', 'group.importPreview'],
]);

/** What tells the calls about one package from those about another. */
function packageIn({ operation, path, params }: RequestLogEntry, calls: number): string | undefined {
  if (operation === 'group.export' || operation === 'item.add') return `call ${calls}`;
  if (operation === 'group.import') return params['itemId'];
  if (operation === 'job' || operation === 'group.importPreview') return path;
  return idIn(path);
}

/** The calls of one side, with what they are. */
function callsOf(
  site: Site,
  side: Side,
  sync: Sync,
): { readonly endpoint: Endpoint; readonly request: RequestLogEntry }[] {
  const requests = site[side].requests();
  const importAt = requests.find(isImport)?.at;
  return requests.map((request) => ({ request, endpoint: endpointOf(side, request, { importAt, ...sync }) }));
}

function endpointOf(
  side: Side,
  request: RequestLogEntry,
  { importAt, shape, items }: Sync & { readonly importAt?: string },
): Endpoint {
  const { method, operation, path, params } = request;
  const when = importAt !== undefined && request.at > importAt ? 'after import' : 'before import';
  return {
    side,
    method,
    operation,
    shape,
    ...(operation === 'group.import' && { previewOnly: params['previewOnly'] }),
    ...(operation === 'item.add' && params['multipart'] !== undefined && { multipart: params['multipart'] }),
    ...aboutOf(idIn(path), items),
    ...(side === 'target' && operation !== 'group.import' && { when }),
  };
}

function aboutOf(id: string | undefined, items: ReadonlySet<string>): Pick<Endpoint, 'about' | 'path'> {
  if (id === undefined) return {};
  const any = [...items].join('|');
  return items.has(id)
    ? { about: 'item', path: `/items/(${any})` }
    : { about: 'package', path: `/items/(?!${any})` };
}

/** Heading of its row. */
export function titleOf(endpoint: Endpoint): string {
  const { method, operation, previewOnly, multipart, about, when, shape, nth } = endpoint;
  const ends = [
    previewOnly && `previewOnly=${previewOnly}`,
    multipart && 'in parts',
    about,
    when === 'after import' && when,
    nth !== undefined && 'second package',
    shape === 'what changed' && `of ${shape}`,
  ];
  return [`${method} ${operation}`, ...ends.filter(Boolean)].join(', ');
}

/** The first of these calls. */
export function firstOf(endpoint: Endpoint): Pick<FaultRule, 'match' | 'since' | 'nth'> {
  const { method, operation, previewOnly, path, when, nth = 1 } = endpoint;
  return {
    match: {
      method,
      operation,
      ...(previewOnly !== undefined && { params: { previewOnly } }),
      path,
    },
    ...(when === 'after import' && {
      since: { operation: 'group.import', params: { previewOnly: 'false' } },
    }),
    nth,
  };
}
