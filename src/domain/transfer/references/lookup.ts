import { PortolanError } from '../../../model/errors/errors';
import type { Portal } from '../../../portal/client';
import { type Group, groupContentPages, readGroup } from '../../../portal/resources/groups';
import type { CallOptions } from '../../../portal/http/request';
import { readItem } from '../../../portal/resources/items/items';
import { readService } from '../../../portal/resources/layers';
import { type Retry, retrier, reasonOf } from '../retry';
import { mapLimited } from '../../../model/map-limited';
import { REQUESTS_AT_A_TIME } from '../../../portal/http/limiter';
import type { Item } from '../../../portal/resources/items/item';
import { APP_TYPE, isHostedService, holdsReferences } from '../classify-item';
import { readDocuments, type Reference, referencesOf } from './content';
import { serviceKey } from './addresses';

/** What is read of a group; all but its id may be missing. */
export type GroupFacts = { readonly id: string } & Partial<Pick<Group, 'title' | 'owner' | 'userMembership'>>;

/** A group, and what shows that it is there: its record, its content, or nothing but an empty listing. */
export interface FoundGroup {
  readonly group: GroupFacts;
  readonly shownBy: 'record' | 'content' | 'nothing';
}

/**
 * A group by its record. Of the two resources only the content listing is certain to be there, so it is
 * asked where the record is not found or not understood; then the id is all that is known.
 * docs/reference/portal-interface.md, "Groups" and "Listings"
 *
 * @throws PortolanError GROUP_NOT_FOUND, NOT_FOUND or PERMISSION_DENIED where this account sees neither of
 * the two; others as they come
 */
export async function findGroup(portal: Portal, groupId: string, options?: CallOptions): Promise<FoundGroup> {
  try {
    return { group: await readGroup(portal, groupId, options), shownBy: 'record' };
  } catch (thrown) {
    const error = PortolanError.from(thrown);
    if (!saysLittle.has(error.code)) throw error;
    const listed = await firstPageSize(portal, groupId, options).catch((ofListing: unknown) => {
      // Of two that mean the group, the record's says more: it tells a missing right from a missing group.
      const same = unseen.has(error.code) && unseen.has(PortolanError.from(ofListing).code);
      throw same ? error : ofListing;
    });
    return { group: { id: groupId }, shownBy: listed > 0 ? 'content' : 'nothing' };
  }
}

/** Answers for the record that a portal without that resource may give. */
const saysLittle: ReadonlySet<string> = new Set([
  'GROUP_NOT_FOUND',
  'NOT_FOUND',
  'PERMISSION_DENIED',
  'BAD_REQUEST',
  'BAD_RESPONSE',
  'HTML_RESPONSE',
  'NOT_SUPPORTED',
  'SERVER_ERROR',
]);

/** Answers that mean: there is no such group for this account. */
export const unseen: ReadonlySet<string> = new Set(['GROUP_NOT_FOUND', 'NOT_FOUND', 'PERMISSION_DENIED']);

async function firstPageSize(portal: Portal, groupId: string, options?: CallOptions): Promise<number> {
  for await (const page of groupContentPages(portal, groupId, options)) return page.length;
  return 0;
}

/** Whether a portal holds something: `hidden` where it does and this account may not look at it. */
export type Presence =
  | { readonly state: 'there'; readonly title?: string; readonly type?: string }
  | { readonly state: 'absent' }
  | { readonly state: 'hidden' };

/** Questions to one portal, each asked once however many references put it. */
export interface Lookup {
  item(itemId: string): Promise<Presence>;
  group(groupId: string): Promise<Presence>;
  /** @param root address of a service, without a layer */
  service(root: string): Promise<Presence>;
}

/**
 * @param known ids of items that are known to be there
 * @throws PortolanError from the questions, where the portal gave neither yes nor no
 */
export function lookupOn(
  portal: Portal,
  retry: Retry,
  known: ReadonlySet<string>,
  options?: CallOptions,
): Lookup {
  const answers = new Map<string, Promise<Presence>>();
  const once = (key: string, question: () => Promise<Presence>): Promise<Presence> => {
    const before = answers.get(key);
    if (before !== undefined) return before;
    const answer = presence(() => retry(question));
    answers.set(key, answer);
    // What goes away by itself may be asked again; what stays is not put to the portal for every reference.
    answer.catch((thrown: unknown) => {
      if (PortolanError.from(thrown).meaning.kind === 'transient') answers.delete(key);
    });
    return answer;
  };
  return {
    item: (itemId) =>
      known.has(itemId)
        ? Promise.resolve({ state: 'there' })
        : once(`item ${itemId}`, async () => {
            const { title, type } = await readItem(portal, itemId, options);
            return { state: 'there', title, type };
          }),
    group: (groupId) =>
      once(`group ${groupId}`, async () => {
        const { group, shownBy } = await findGroup(portal, groupId, options);
        return shownBy === 'nothing' ? { state: 'hidden' } : { state: 'there', title: group.title };
      }),
    service: (root) =>
      once(`service ${root.toLowerCase()}`, async () => {
        await readService(portal, root, options);
        return { state: 'there' };
      }),
  };
}

const absent: ReadonlySet<string> = new Set([
  'ITEM_NOT_FOUND',
  'GROUP_NOT_FOUND',
  'NOT_FOUND',
  'BAD_REQUEST',
]);

async function presence(question: () => Promise<Presence>): Promise<Presence> {
  try {
    return await question();
  } catch (thrown) {
    const error = PortolanError.from(thrown);
    if (absent.has(error.code) || saysNotFound(error)) return { state: 'absent' };
    if (error.code === 'PERMISSION_DENIED') return { state: 'hidden' };
    throw error;
  }
}

/** GIS servers answer for a service that they do not have with a server error and these words. */
const saysNotFound = (error: PortolanError): boolean =>
  error.code === 'SERVER_ERROR' && /\bnot found\b/i.test(error.facts.portalWords ?? '');

/** To which others of a run's items an item refers, ids by its id; those that refer to none are absent. */
export type Links = Readonly<Record<string, readonly string[]>>;

/** Finds in an item's references the others of some items: by their ids, and by the addresses of hosted services. */
export function linksAmong(items: readonly Item[]): (from: Item, named: Iterable<Reference>) => string[] {
  const byId = new Map(items.map(({ id }) => [id.toLowerCase(), id]));
  const byService = new Map(
    items.filter(isHostedService).flatMap(({ id, url }) => {
      const key = serviceKey(url ?? '');
      return key === undefined ? [] : [[key, id] as const];
    }),
  );
  const leadsTo = ({ kind, value }: Reference): string | undefined =>
    kind === 'url' ? byService.get(serviceKey(value) ?? '') : byId.get(value.toLowerCase());
  return (from, named) => {
    const ids = [...named].flatMap((reference) => leadsTo(reference) ?? []);
    return [...new Set(ids)].filter((id) => id !== from.id);
  };
}

/**
 * Reads the documents of items for what they refer to among themselves. One that cannot be read refers to nothing.
 *
 * @param onItem called after each item, for a heartbeat
 */
export async function readLinks(
  portal: Portal,
  items: readonly Item[],
  options: CallOptions,
  onItem: (done: number, of: number) => void,
): Promise<Links> {
  const find = linksAmong(items);
  const retry = retrier(options.signal);
  const readers = items.filter(({ type }) => holdsReferences(type ?? ''));
  let done = 0;
  const found = await mapLimited(readers, REQUESTS_AT_A_TIME, async (item) => {
    const content = await readDocuments(portal, item, options, retry).catch(() => undefined);
    options.signal?.throwIfAborted();
    onItem((done += 1), readers.length);
    return [item.id, content ? find(item, referencesOf(content.content)) : []] as const;
  });
  return Object.fromEntries(found.filter(([, to]) => to.length > 0));
}

/**
 * The data of the apps among items, by their ids. What cannot be read is absent: such an app is classified by its record.
 *
 * @throws PortolanError when the portal is out of reach
 */
export async function readAppData(
  portal: Portal,
  items: readonly { readonly id: string; readonly type?: string | null }[],
  options?: CallOptions,
): Promise<Map<string, unknown>> {
  const retry = retrier(options?.signal);
  const read = new Map<string, unknown>();
  const apps = items.filter(({ type }) => type === APP_TYPE);
  await mapLimited(apps, REQUESTS_AT_A_TIME, async ({ id, type }) => {
    try {
      const { content } = await readDocuments(portal, { id, type }, options, retry);
      read.set(id, content.data);
    } catch (thrown) {
      reasonOf(thrown);
    }
  });
  return read;
}

/**
 * Which of these groups a portal does not have, as far as this account sees.
 *
 * @throws PortolanError where the portal gave neither yes nor no
 */
export async function missingGroups(
  portal: Portal,
  groupIds: Iterable<string>,
  options?: CallOptions,
): Promise<Set<string>> {
  const lookup = lookupOn(portal, retrier(options?.signal), new Set(), options);
  const missing = new Set<string>();
  await mapLimited([...new Set(groupIds)], REQUESTS_AT_A_TIME, async (groupId) => {
    if ((await lookup.group(groupId)).state !== 'there') missing.add(groupId);
  });
  return missing;
}
