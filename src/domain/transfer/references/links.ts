import { mapLimited } from '../../../model/map-limited';
import type { Portal } from '../../../portal/client';
import type { CallOptions } from '../../../portal/http/request';
import { REQUESTS_AT_A_TIME } from '../../../portal/http/limiter';
import type { Item } from '../../../portal/resources/items/item';
import { isHostedService } from '../classify-item';
import { holdsReferences } from '../item-types';
import { retrier } from '../retry';
import { readContent } from './item-content';
import { type Reference, referencesOf } from './references';
import { serviceKey } from './service-url';

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
    const content = await readContent(portal, item, options, retry).catch(() => undefined);
    options.signal?.throwIfAborted();
    onItem((done += 1), readers.length);
    return [item.id, content ? find(item, referencesOf(content.content)) : []] as const;
  });
  return Object.fromEntries(found.filter(([, to]) => to.length > 0));
}
