import type { GuardResult } from '../../../model/run/run';
import { PortolanError } from '../../../model/errors/errors';
import { isSameUser } from '../../../model/identity';
import { countOf, listFirst } from '../../../model/text/words';
import type { Portal } from '../../../portal/client';
import type { CallOptions } from '../../../portal/http/request';
import { findGroup, type GroupFacts, unseen, linksAmong, lookupOn } from '../references/lookup';
import type { PortalFacts } from '../portal-facts';
import { pass, refuse, unknown, named } from './verdict';
import type { Release } from '../../../portal/http/versions';
import {
  type ClassifiableItem,
  type Classification,
  classifyItem,
  hostedAddresses,
  holdsReferences,
} from '../classify-item';
import type { Item } from '../../../portal/resources/items/item';
import { type Retry, retrier, reasonOf } from '../retry';
import { readDocuments, type Reference, referencesOf } from '../references/content';
import { mapLimited } from '../../../model/map-limited';
import { REQUESTS_AT_A_TIME } from '../../../portal/http/limiter';
import { type RouteAddresses, routeAddresses, ownerOf, serviceAddress } from '../references/addresses';
import { shown } from '../verify/verification';
import type { ReferenceMap } from '../../../model/release/reference-map';
import { findItem } from '../../../portal/resources/items/items';

/** The check of a group, with the group if it was read. */
export interface GroupReading {
  readonly result: GuardResult;
  readonly group?: GroupFacts;
}

/**
 * Checks that the group exists and is visible to this account, by its record or its content.
 * @throws PortolanError for anything that says nothing about the group, such as a lost connection
 */
export async function groupReadable(
  portal: Portal,
  groupId: string,
  options?: CallOptions,
): Promise<GroupReading> {
  const name = `group on ${portal.name}`;
  try {
    const { group, shownBy } = await findGroup(portal, groupId, options);
    switch (shownBy) {
      case 'record':
        return { result: pass(name, `"${group.title ?? group.id}"`), group };
      case 'content': {
        const saw = `${group.id}, by its content: ${portal.name} reports no title and no owner`;
        return { result: pass(name, saw), group };
      }
      case 'nothing': {
        const result = unknown(name, {
          saw: `${portal.name} shows this account no record of group ${groupId}, and no items in it`,
          needs: 'a group that exists and is visible to the account',
          todo: 'Check the group ID of the route. An empty group may look like this.',
        });
        return { result, group };
      }
    }
  } catch (thrown) {
    const error = PortolanError.from(thrown);
    if (!unseen.has(error.code)) throw error;
    const result = refuse(name, 'GROUP_NOT_FOUND', {
      saw: `${portal.name} has no group ${groupId} that this account can see`,
      needs: 'a group that exists and is visible to the account',
      todo: 'Check the group ID of the route, and that the account owns the group or is an administrator.',
    });
    return { result };
  }
}

/** Export and import need the group's owner or an administrator; app credentials have no user. */
export function mayTransfer(facts: PortalFacts, group: GroupFacts): GuardResult {
  const name = `account on ${facts.name}`;
  const title = `"${group.title ?? group.id}"`;
  const needs = `a user who owns the group ${title} or is an administrator`;
  if (facts.username === undefined) {
    return refuse(name, 'NO_USER', {
      saw: `the credentials for ${facts.name} have no user`,
      needs,
      todo: `Sign in to ${facts.name} as a user: auth type password, token or apiKey in portolan.yaml.`,
    });
  }
  if (owns(facts.username, group)) return pass(name, `${facts.username} owns ${title}`);
  if (facts.fullAdmin) return pass(name, `${facts.username} is an administrator`);
  if (facts.role === 'org_admin') {
    return unknown(name, {
      saw: `${facts.username} is an administrator with a custom role, not a default one`,
      needs,
      todo: `Nothing; ${facts.name} decides. If it refuses, sign in as ${group.owner ?? "the group's owner"} or as a default administrator.`,
    });
  }
  if (group.owner === undefined) {
    return unknown(name, {
      saw: `${facts.username} is not an administrator, and ${facts.name} does not report who owns ${title}`,
      needs,
      todo: 'Check who owns the group.',
    });
  }
  return refuse(name, 'NOT_OWNER_OR_ADMIN', {
    saw: `${facts.username} is not an administrator, and ${title} belongs to ${group.owner}`,
    needs,
    todo: `Sign in to ${facts.name} as ${group.owner} or as an administrator.`,
  });
}

const owns = (username: string, group: GroupFacts): boolean =>
  group.owner === undefined
    ? group.userMembership?.memberType?.toLowerCase() === 'owner'
    : isSameUser(group.owner, username);

/** An item of the source group with what the table says of it. */
export interface ClassifiedItem<T extends ClassifiableItem = ClassifiableItem> {
  readonly item: T;
  readonly classification: Classification;
}

export const classifyAll = <T extends ClassifiableItem>(
  items: readonly T[],
  release: Release | undefined,
  /** Why items are known to be left out, as by the route, by their ids. */
  leftOut: ReadonlyMap<string, string> = new Map(),
  /** The data of apps, by their ids. */
  appData: ReadonlyMap<string, unknown> = new Map(),
): ClassifiedItem<T>[] =>
  items.map((item) => {
    const reason = leftOut.get(item.id);
    const classification: Classification =
      reason === undefined
        ? classifyItem(item, release, appData.get(item.id))
        : { verdict: 'skipped', reason };
    return { item, classification };
  });

/** How an item is called in messages: its title, else its id. */
export const titleOf = (item: ClassifiableItem): string => item.title ?? item.id;

/** Every item asked for must be in the source group. */
export function requestedInGroup(requested: readonly string[], inGroup: ReadonlySet<string>): GuardResult {
  const name = 'requested items';
  const strangers = requested.filter((id) => !inGroup.has(id));
  if (strangers.length === 0)
    return pass(name, `${countOf(requested.length, 'item')}, all in the source group`);
  return refuse(name, 'ITEM_NOT_IN_GROUP', {
    saw: `not in the source group: ${listFirst(strangers, 5).join(', ')}`,
    needs: 'only items of the source group',
    todo: `Share ${strangers.length === 1 ? 'it' : 'them'} with the source group, or remove ${strangers.length === 1 ? 'it' : 'them'} from --items.`,
  });
}

/**
 * Which items the portal will take, by type. What it skips is named and refused by nobody: the run goes
 * on without it. A type that the table does not know is a warning.
 */
export function exportableItems(items: readonly ClassifiedItem[]): GuardResult {
  const name = 'item types';
  const skipped = items.filter(({ classification }) => classification.verdict === 'skipped');
  const open = items.filter(({ classification }) => classification.verdict === 'unknown');
  const going = items.length - skipped.length;
  const left = skipped.length === 0 ? '' : `; skipped: ${[...byReason(skipped)].join('; ')}`;
  const saw = `${going} of ${countOf(items.length, 'item')}${left}`;
  if (open.length === 0) return pass(name, saw);
  return unknown(name, {
    saw: `${saw}; unknown: ${[...byReason(open)].join('; ')}`,
    needs: 'types known to be exportable',
    todo: 'Nothing; the portal decides, and the record lists what it skips.',
  });
}

/** `type Dashboard cannot be exported ("Roads" and "Bridges")`, a line for each reason. */
function byReason(items: readonly ClassifiedItem[]): string[] {
  const titles = new Map<string, string[]>();
  for (const { item, classification } of items) {
    if (classification.verdict === 'exportable') continue;
    titles.set(classification.reason, [...(titles.get(classification.reason) ?? []), titleOf(item)]);
  }
  return [...titles].map(([reason, list]) => `${reason} (${named(list)})`);
}

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
  const lackOf = lackFinder(scope, going, retryOnSource, options);
  const linksOf = linksAmong(going);
  const readers = going.filter((item) => holdsReferences(item.type ?? ''));
  const lists: Record<keyof typeof lackTexts, string[]> = {
    missing: [],
    doubtful: [],
    unread: [],
    groups: [],
  };
  let followed = 0;
  let done = 0;

  await mapLimited(readers, REQUESTS_AT_A_TIME, async (item) => {
    try {
      const { content, unread: parts } = await readDocuments(scope.source, item, options, retryOnSource);
      if (parts.length > 0) lists.unread.push(`${titleOf(item)}: ${parts[0]?.reason ?? ''}`);
      const references = [...referencesOf(content)];
      scope.onLinks?.(item.id, linksOf(item, references));
      const seen = new Set<string>();
      for (const reference of references) {
        if (seen.has(reference.value)) continue;
        seen.add(reference.value);
        const lack = await lackOf(reference);
        followed += 1;
        if (lack === undefined) continue;
        const list = reference.kind === 'group' ? 'groups' : lack.inGroup ? 'doubtful' : 'missing';
        lists[list].push(`${titleOf(item)}: ${reference.path} names ${lack.what}`);
      }
    } catch (thrown) {
      lists.unread.push(`${titleOf(item)}: ${reasonOf(thrown)}`);
    }
    done += 1;
    scope.onItem?.(done, readers.length);
  });
  const parts = (Object.keys(lackTexts) as (keyof typeof lackTexts)[]).flatMap((list) =>
    lists[list].length > 0 ? `${lackTexts[list]}: ${named(lists[list])}` : [],
  );
  if (parts.length === 0) return pass(name, `${countOf(followed, 'reference')}, none missing`);
  return unknown(name, {
    saw: parts.join('; '),
    needs: 'everything that maps, scenes, apps and stories reference, in the group or on the target',
    todo: 'Share what is missing with the source group, or add it to the target. The run continues without it.',
  });
}

const lackTexts = {
  missing: 'neither in the group nor on the target',
  doubtful: 'in the group, but may be skipped by the export',
  unread: 'unreadable',
  groups: 'configured by a group that the target does not have, so empty there until set',
} as const;

/** What is missing of a reference, as text. */
interface Lack {
  readonly what: string;
  /** It is among the items of the run, and may be left out by the export. */
  readonly inGroup: boolean;
}

function lackFinder(
  { source, target, addresses, items }: ReferenceScope,
  going: readonly Item[],
  retryOnSource: Retry,
  options?: CallOptions,
): (reference: Reference) => Promise<Lack | undefined> {
  const ids = new Set(
    items.flatMap(({ item, classification }) =>
      classification.verdict === 'exportable' ? [item.id.toLowerCase()] : [],
    ),
  );
  const listed = new Set(items.map(({ item }) => item.id.toLowerCase()));
  const own = routeAddresses(addresses.source, addresses.target, { source: hostedAddresses(going) });
  const services = new Set(hostedAddresses(going).map(rootOf));
  const onTarget = lookupOn(target, retrier(options?.signal), ids, options);
  const onSource = lookupOn(source, retryOnSource, new Set(), options);
  return async ({ kind, value }) => {
    if (kind === 'url') {
      const isLeft = serviceAddress(value) !== undefined && ownerOf(value, own) === 'source';
      return isLeft && !services.has(rootOf(value))
        ? { what: `${shown(value)}, a service that stays on ${source.name}`, inGroup: false }
        : undefined;
    }
    if ((await onTarget[kind](value)).state !== 'absent') return undefined;
    const origin = await onSource[kind](value);
    if (origin.state !== 'there') return undefined;
    return {
      what: `${origin.type ?? kind} "${origin.title ?? value}" (${value})`,
      inGroup: listed.has(value.toLowerCase()),
    };
  };
}

/** A service's root without scheme and case; layers below it are its own. */
const rootOf = (url: string): string =>
  (serviceAddress(url)?.root ?? url).toLowerCase().replace(/^(https?:)?\/\//, '');

/**
 * Whether the items are on a stage's portal to which its map leads. One that is not may be one that a release is going
 * to bring, so that it is named and keeps nothing from going on.
 */
export async function mappedItemsThere(
  portal: Portal,
  portalName: string,
  { items }: ReferenceMap,
  options?: CallOptions,
): Promise<GuardResult[]> {
  const name = `map on ${portalName}`;
  const rows = Object.entries(items);
  if (rows.length === 0) return [];
  const found = await mapLimited(rows, REQUESTS_AT_A_TIME, async ([from, to]) => ({
    from,
    to,
    isThere: (await findItem(portal, to, options)) !== undefined,
  }));
  const missing = found.filter(({ isThere }) => !isThere);
  if (missing.length === 0) return [pass(name, `${countOf(rows.length, 'item')} to map to`)];
  return missing.map(({ from, to }) =>
    unknown(name, {
      saw: `map.items.${from} maps to ${to}, which is not on ${portalName}`,
      needs: `an item of ${portalName}, or one that a release creates there`,
      todo: `Set map.items.${from} of the stage to an item of ${portalName}.`,
    }),
  );
}
