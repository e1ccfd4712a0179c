import type { FaultRule } from '../../src/simulator/faults';
import type { RequestLogEntry } from '../../src/simulator/request-log';
import type { Rehearsal } from '../support/rehearsal';

export const sides = ['source', 'target'] as const;
export type Side = (typeof sides)[number];

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
  /** Only a package that goes up in parts needs it. */
  readonly inParts: boolean;
}

const idIn = (path: string): string | undefined => /\/items\/([0-9a-f]{32})(\/|$)/.exec(path)?.[1];

/** Ids of items that a rehearsal asked for. Those of packages differ from one to the next. */
export const itemIdsIn = (rehearsal: Rehearsal): Set<string> =>
  new Set(sides.flatMap((side) => rehearsal[side].requests().flatMap(({ path }) => idIn(path) ?? [])));

const isImport = ({ operation, params }: RequestLogEntry): boolean =>
  operation === 'group.import' && params['previewOnly'] !== 'true';

/** Every distinct call in the logs of a rehearsal, in the order in which they came first. */
export function endpointsOf(
  rehearsal: Rehearsal,
  { inParts, items }: { inParts: boolean; items: ReadonlySet<string> },
): Endpoint[] {
  return sides.flatMap((side) => {
    const requests = rehearsal[side].requests();
    const importAt = requests.find(isImport)?.at;
    const seen = requests.map((request) => endpointOf(side, request, { importAt, inParts, items }));
    return [...new Map(seen.map((endpoint) => [titleOf(endpoint), endpoint])).values()];
  });
}

function endpointOf(
  side: Side,
  request: RequestLogEntry,
  { importAt, inParts, items }: { importAt?: string; inParts: boolean; items: ReadonlySet<string> },
): Endpoint {
  const { method, operation, path, params } = request;
  const when = importAt !== undefined && request.at > importAt ? 'after import' : 'before import';
  return {
    side,
    method,
    operation,
    inParts,
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
export function titleOf({ method, operation, previewOnly, multipart, about, when }: Endpoint): string {
  const ends = [
    previewOnly && `previewOnly=${previewOnly}`,
    multipart && 'in parts',
    about,
    when === 'after import' && when,
  ];
  return [`${method} ${operation}`, ...ends.filter(Boolean)].join(', ');
}

/** The first of these calls. */
export function firstOf(endpoint: Endpoint): Pick<FaultRule, 'match' | 'since' | 'nth'> {
  const { method, operation, previewOnly, path, when } = endpoint;
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
    nth: 1,
  };
}
