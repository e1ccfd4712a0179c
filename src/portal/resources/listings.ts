import { z } from 'zod';
import type { Portal } from '../client';
import { type Folder, folder, type Item, item } from './items/item';
import { SEARCH_RESULTS_MAX } from '../http/limits';
import { type PageRequest, pagesOf } from '../http/page';
import { pathOf } from '../http/address';
import { listOf, number, readableOf } from '../http/reading';
import type { CallOptions } from '../http/request';

const userPage = z.looseObject({
  nextStart: number,
  items: listOf(item),
  folders: readableOf(folder),
});

interface UserContent {
  readonly items: Item[];
  /** The user's folders; on pages of the root only. */
  readonly folders: Folder[];
}

/** What a user owns in the root, or in one folder, page by page. docs/reference/portal-interface.md, "Listings" */
export async function* userContentPages(
  portal: Portal,
  username: string,
  { folderId }: { folderId?: string } = {},
  options?: CallOptions,
): AsyncGenerator<UserContent> {
  const path = folderId ? pathOf`content/users/${username}/${folderId}` : pathOf`content/users/${username}`;
  const pages = pagesOf(
    {
      portal,
      operation: 'user.content',
      sizeOf: (page: z.infer<typeof userPage>) => page.items.length + page.folders.length,
      read: (page, o) =>
        portal.call({ operation: 'user.content', path, params: { ...page }, schema: userPage }, o),
    },
    options,
  );
  for await (const { items, folders } of pages) yield { items, folders };
}

const searchPage = z.looseObject({ total: number, nextStart: number, results: listOf(item) });

const QUERY_IN_ADDRESS_MAX = 1_000;

/** One page of a search, which has no page behind the last that a portal shows. */
export async function readSearchPage<P extends { readonly nextStart?: number }>(
  portal: Portal,
  { operation, path, q, page }: { operation: string; path: string; q: string; page: PageRequest },
  schema: z.ZodType<P>,
  options?: CallOptions,
): Promise<P> {
  // Web servers refuse long addresses.
  const method = q.length > QUERY_IN_ADDRESS_MAX ? 'POST' : 'GET';
  const answer = await portal.call({ operation, method, path, params: { q, ...page }, schema }, options);
  return (answer.nextStart ?? -1) > SEARCH_RESULTS_MAX ? { ...answer, nextStart: -1 } : answer;
}

/** A page of a search, and how many results the portal says there are. */
interface FoundItems {
  readonly items: Item[];
  /** At most 10,000 on some portals. */
  readonly total?: number;
}

/**
 * Items that a query finds, page by page. The search index lags behind writes, and ends after 10,000
 * results. docs/reference/portal-interface.md, "Listings"
 */
export async function* searchPages(
  portal: Portal,
  q: string,
  options?: CallOptions,
): AsyncGenerator<FoundItems> {
  const pages = pagesOf(
    {
      portal,
      operation: 'item.search',
      sizeOf: (page: z.infer<typeof searchPage>) => page.results.length,
      read: (page, o) =>
        readSearchPage(portal, { operation: 'item.search', path: 'search', q, page }, searchPage, o),
    },
    options,
  );
  for await (const { results: items, total } of pages) yield { items, total };
}

/** The same, without totals. */
export async function* searchItems(portal: Portal, q: string, options?: CallOptions): AsyncGenerator<Item[]> {
  for await (const { items } of searchPages(portal, q, options)) yield items;
}

/** A query about the portal's own content only; `*` for all of it. @param portalId its own id */
export const withinPortal = (query: string, portalId: string | undefined): string => {
  if (portalId === undefined) return query;
  return query === '*' ? `accountid:${portalId}` : `(${query}) AND accountid:${portalId}`;
};
