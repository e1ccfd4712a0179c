import { z } from 'zod';
import type { Portal } from '../client';
import { type Item, item } from './items/item';
import { pathOf } from '../http/path';
import { number, readableOf, text } from '../http/reading';
import type { CallOptions } from '../http/request';

/** Items related to this one by a type such as `Service2Data`. docs/reference/portal-interface.md, "References" */
export async function readRelatedItems(
  portal: Portal,
  itemId: string,
  request: { relationshipTypes: readonly string[]; direction: 'forward' | 'reverse' },
  options?: CallOptions,
): Promise<Item[]> {
  const [only] = request.relationshipTypes;
  const one = request.relationshipTypes.length === 1;
  const { relatedItems } = await portal.call(
    {
      operation: 'item.relatedItems',
      path: pathOf`content/items/${itemId}/relatedItems`,
      params: {
        relationshipType: one ? only : undefined,
        relationshipTypes: one ? undefined : request.relationshipTypes,
        direction: request.direction,
      },
      schema: z.looseObject({ relatedItems: readableOf(item) }),
      missing: 'ITEM_NOT_FOUND',
    },
    options,
  );
  return relatedItems;
}

const dependency = z.looseObject({ dependencyType: text, id: text, url: text, table: text });
export type Dependency = z.infer<typeof dependency>;

/**
 * What an item needs, or (`dependents`) what needs it, as far as the portal has noted it: it does so
 * only partly. Self-managed portals only. docs/reference/portal-interface.md, "References"
 */
export async function readDependencies(
  portal: Portal,
  itemId: string,
  { which = 'dependencies' }: { which?: 'dependencies' | 'dependents' } = {},
  options?: CallOptions,
): Promise<Dependency[]> {
  const base = pathOf`content/items/${itemId}/dependencies`;
  const found: Dependency[] = [];
  for (let start = 1; start > 0;) {
    const page = await portal.call(
      {
        operation: 'item.dependencies',
        path: which === 'dependencies' ? base : `${base}/listDependentsTo`,
        params: { num: 100, start },
        schema: z.looseObject({
          list: readableOf(dependency).optional(),
          items: readableOf(dependency).optional(),
          nextStart: number,
        }),
        missing: 'ITEM_NOT_FOUND',
      },
      options,
    );
    found.push(...(page.list ?? page.items ?? []));
    start = (page.nextStart ?? -1) > start ? (page.nextStart ?? -1) : -1;
  }
  return found;
}
