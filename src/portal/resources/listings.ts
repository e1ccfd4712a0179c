import { z } from 'zod';
import type { Portal } from '../client';
import { type Folder, folder, type Item, item } from './items/item';
import { SEARCH_RESULTS_MAX } from '../http/limits';
import { pagesOf } from '../http/page';
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

const searchPage = z.looseObject({ nextStart: number, results: listOf(item) });

/**
 * Items that a query finds, page by page. The search index lags behind writes, and ends after 10,000
 * results. docs/reference/portal-interface.md, "Listings"
 */
export async function* searchItems(portal: Portal, q: string, options?: CallOptions): AsyncGenerator<Item[]> {
  const pages = pagesOf(
    {
      portal,
      operation: 'item.search',
      sizeOf: (page: z.infer<typeof searchPage>) => page.results.length,
      read: async (page, o) => {
        const answer = await portal.call(
          { operation: 'item.search', path: 'search', params: { q, ...page }, schema: searchPage },
          o,
        );
        const beyond = (answer.nextStart ?? -1) > SEARCH_RESULTS_MAX;
        return beyond ? { ...answer, nextStart: -1 } : answer;
      },
    },
    options,
  );
  for await (const page of pages) yield page.results;
}
