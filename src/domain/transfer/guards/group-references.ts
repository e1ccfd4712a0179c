import type { GuardResult } from '../../../model/run/guard';
import type { Portal } from '../../../portal/client';
import type { Item } from '../../../portal/resources/items/item';
import type { CallOptions } from '../../../portal/http/request';
import { type Retry, retrier, reasonOf } from '../retry';
import { hostedAddresses, isHostedService } from '../classify-item';
import { readContent } from '../references/item-content';
import { holdsReferences } from '../item-types';
import { mapLimited } from '../../../model/map-limited';
import { REQUESTS_AT_A_TIME } from '../../../portal/http/limiter';
import { linksAmong } from '../references/links';
import { lookupOn } from '../references/lookup';
import { type RouteAddresses, routeAddresses, ownerOf } from '../references/portal-addresses';
import { type Reference, referencesOf } from '../references/references';
import { serviceAddress } from '../references/service-url';
import { shown } from '../verify/verification';
import { type ClassifiedItem, titleOf } from './group-items';
import { counted, named, pass, unknown } from './verdict';

const name = 'references';

/** What the guard looks into. */
export interface ReferenceScope {
  readonly source: Portal;
  readonly target: Portal;
  /** The items that the run asks for. */
  readonly items: readonly ClassifiedItem<Item>[];
  /** Of the two ends; the addresses of the hosted services among the items count as the source's too. */
  readonly addresses: RouteAddresses;
  /** Called after each item, for a heartbeat. */
  readonly onItem?: (done: number, of: number) => void;
  /** Called for each item that refers to others of them, with their ids. */
  readonly onLinks?: (itemId: string, to: readonly string[]) => void;
}

/**
 * Whether what maps, scenes, apps, stories and experiences refer to will be there: among the items that
 * go, or on the target already. What is missing is a warning that names it, never a refusal: such items
 * are imported, and their dependents fail there. A reference that the source does not hold either is no
 * concern of the run.
 *
 * @throws PortolanError when a portal is out of reach; an item that cannot be read is a warning
 */
export async function referencesResolve(scope: ReferenceScope, options?: CallOptions): Promise<GuardResult> {
  const going = scope.items.flatMap(({ item, classification }) =>
    classification.verdict === 'skipped' ? [] : [item],
  );
  const retryOnSource = retrier(options?.signal);
  const held = holdings(scope, going, retryOnSource, options);
  const linksOf = linksAmong(going);
  const readers = going.filter((item) => holdsReferences(item.type ?? ''));
  const missing: string[] = [];
  const doubtful: string[] = [];
  const unread: string[] = [];
  const groups: string[] = [];
  let followed = 0;
  let done = 0;

  await mapLimited(readers, REQUESTS_AT_A_TIME, async (item) => {
    try {
      const { content, unread: parts } = await readContent(scope.source, item, options, retryOnSource);
      if (parts.length > 0) unread.push(`${titleOf(item)}: ${parts[0]?.reason ?? ''}`);
      const references = [...referencesOf(content)];
      scope.onLinks?.(item.id, linksOf(item, references));
      const seen = new Set<string>();
      for (const reference of references) {
        if (seen.has(reference.value)) continue;
        seen.add(reference.value);
        const lack = await held.lacks(reference);
        followed += 1;
        if (lack === undefined) continue;
        const list = reference.kind === 'group' ? groups : lack.inGroup ? doubtful : missing;
        list.push(`${titleOf(item)}: ${reference.path} names ${lack.what}`);
      }
    } catch (thrown) {
      unread.push(`${titleOf(item)}: ${reasonOf(thrown)}`);
    }
    done += 1;
    scope.onItem?.(done, readers.length);
  });
  return verdictOf(followed, { missing, doubtful, unread, groups });
}

interface Doubts {
  readonly missing: readonly string[];
  readonly doubtful: readonly string[];
  readonly unread: readonly string[];
  readonly groups: readonly string[];
}

function verdictOf(followed: number, { missing, doubtful, unread, groups }: Doubts): GuardResult {
  const parts = [
    ...(missing.length > 0 ? [`neither in the group nor on the target: ${named(missing)}`] : []),
    ...(doubtful.length > 0 ? [`in the group, but may be skipped by the export: ${named(doubtful)}`] : []),
    ...(unread.length > 0 ? [`unreadable: ${named(unread)}`] : []),
    ...(groups.length > 0
      ? [`configured by a group that the target does not have, so empty there until set: ${named(groups)}`]
      : []),
  ];
  if (parts.length === 0) return pass(name, `${counted(followed, 'reference')}, none missing`);
  return unknown(name, {
    saw: parts.join('; '),
    needs: 'everything that maps, scenes, apps and stories reference, in the group or on the target',
    todo: 'Share what is missing with the source group, or add it to the target. The run continues without it.',
  });
}

/** What is missing of a reference, in words. */
interface Lack {
  readonly what: string;
  /** It is among the items of the run, and may be left out by the export. */
  readonly inGroup: boolean;
}

interface Holdings {
  /** `undefined` where nothing is missing. */
  lacks(reference: Reference): Promise<Lack | undefined>;
}

function holdings(
  { source, target, addresses, items }: ReferenceScope,
  going: readonly Item[],
  retryOnSource: Retry,
  options?: CallOptions,
): Holdings {
  const ids = new Set(
    items.flatMap(({ item, classification }) =>
      classification.verdict === 'exportable' ? [item.id.toLowerCase()] : [],
    ),
  );
  const listed = new Set(items.map(({ item }) => item.id.toLowerCase()));
  const own = routeAddresses(addresses.source, addresses.target, { source: hostedAddresses(going) });
  const services = new Set(
    going.filter(isHostedService).flatMap((item) => (item.url ? [rootOf(item.url)] : [])),
  );
  const onTarget = lookupOn(target, retrier(options?.signal), ids, options);
  const onSource = lookupOn(source, retryOnSource, new Set(), options);

  const lacksAddress = (value: string): Lack | undefined => {
    if (serviceAddress(value) === undefined || ownerOf(value, own) !== 'source') return undefined;
    return services.has(rootOf(value))
      ? undefined
      : { what: `${shown(value)}, a service that stays on ${source.name}`, inGroup: false };
  };

  return {
    async lacks({ kind, value }) {
      if (kind === 'url') return lacksAddress(value);
      if ((await onTarget[kind](value)).state !== 'absent') return undefined;
      const origin = await onSource[kind](value);
      if (origin.state !== 'there') return undefined;
      return {
        what: `${origin.type ?? kind} "${origin.title ?? value}" (${value})`,
        inGroup: listed.has(value.toLowerCase()),
      };
    },
  };
}

/** A service's root without scheme and case; layers below it are its own. */
const rootOf = (url: string): string =>
  (serviceAddress(url)?.root ?? url).toLowerCase().replace(/^(https?:)?\/\//, '');
