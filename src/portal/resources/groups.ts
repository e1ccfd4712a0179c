import { z } from 'zod';
import type { Portal } from '../client';
import { type Item, item, listedItem } from './items/item';
import { pagesOf } from '../http/page';
import { readSearchPage } from './listings';
import { optionalId, requiredId } from '../http/ids';
import { pathOf } from '../http/address';
import { label, listOf, number, readableOf, text } from '../http/reading';
import type { CallOptions } from '../http/request';

/** docs/reference/portal-interface.md, "Groups" */
const group = z.looseObject({
  id: requiredId('group'),
  title: label,
  owner: optionalId('user'),
  userMembership: z.looseObject({ memberType: text }).nullish().catch(undefined),
});
export type Group = z.infer<typeof group>;

/** @throws PortolanError GROUP_NOT_FOUND where it does not exist or cannot be seen */
export const readGroup = async (portal: Portal, groupId: string, options?: CallOptions): Promise<Group> =>
  portal.call(
    {
      operation: 'group.read',
      path: pathOf`community/groups/${groupId}`,
      schema: group,
      missing: 'GROUP_NOT_FOUND',
    },
    options,
  );

const members = z.looseObject({ owner: text, admins: listOf(z.string()), users: listOf(z.string()) });

/** Names of all who are in a group. docs/reference/portal-interface.md, "Groups" */
export async function readGroupMembers(
  portal: Portal,
  groupId: string,
  options?: CallOptions,
): Promise<string[]> {
  const { owner, admins, users } = await portal.call(
    {
      operation: 'group.users',
      path: pathOf`community/groups/${groupId}/users`,
      schema: members,
      missing: 'GROUP_NOT_FOUND',
    },
    options,
  );
  return [...new Set([...(owner ? [owner] : []), ...admins, ...users])];
}

const contentPage = z.looseObject({ items: listOf(item), nextStart: number });

/** All items of a group. */
export async function readGroupItems(
  portal: Portal,
  groupId: string,
  options?: CallOptions,
): Promise<Item[]> {
  const items: Item[] = [];
  for await (const page of groupContentPages(portal, groupId, options)) items.push(...page);
  return items;
}

/**
 * The items of a group, page by page to the last; also read from the older form of one page without
 * paging fields. docs/reference/portal-interface.md, "Listings"
 */
export async function* groupContentPages(
  portal: Portal,
  groupId: string,
  options?: CallOptions,
): AsyncGenerator<Item[]> {
  const pages = pagesOf(
    {
      portal,
      operation: 'group.content',
      sizeOf: (page: z.infer<typeof contentPage>) => page.items.length,
      read: (page, o) =>
        portal.call(
          {
            operation: 'group.content',
            path: pathOf`content/groups/${groupId}`,
            params: { ...page },
            schema: contentPage,
            missing: 'GROUP_NOT_FOUND',
          },
          o,
        ),
    },
    options,
  );
  for await (const page of pages) yield page.items;
}

/** Everything that a group holds, by item id; of each what `listedItem` keeps. */
export async function listGroup(
  portal: Portal,
  groupId: string,
  signal?: AbortSignal,
): Promise<Map<string, Item>> {
  const found = new Map<string, Item>();
  for await (const page of groupContentPages(portal, groupId, { signal })) {
    for (const each of page) found.set(each.id, listedItem(each));
  }
  return found;
}

const groupPage = z.looseObject({ total: number, nextStart: number, results: readableOf(group) });

/**
 * Groups that a query finds, each once. The search index lags behind writes, and ends after 10,000 results.
 * docs/reference/portal-interface.md, "Groups"
 */
export async function searchGroups(portal: Portal, q: string, options?: CallOptions): Promise<Group[]> {
  const found = new Map<string, Group>();
  const pages = pagesOf(
    {
      portal,
      operation: 'group.find',
      sizeOf: (page: z.infer<typeof groupPage>) => page.results.length,
      read: (page, o) =>
        readSearchPage(portal, { operation: 'group.find', path: 'community/groups', q, page }, groupPage, o),
    },
    options,
  );
  for await (const { results } of pages) for (const each of results) found.set(each.id, each);
  return [...found.values()];
}

const ownGroups = z.looseObject({
  user: z.looseObject({ groups: readableOf(group) }).nullish(),
});

/**
 * The groups that the signed-in user owns or is in; none for application credentials. An administrator may use others
 * as well. docs/reference/portal-interface.md, "Portal"
 */
export async function readOwnGroups(portal: Portal, options?: CallOptions): Promise<Group[]> {
  const { user } = await portal.call(
    { operation: 'portal.self', path: 'portals/self', schema: ownGroups },
    options,
  );
  return [...(user?.groups ?? [])];
}
