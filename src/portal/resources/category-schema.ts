import { z } from 'zod';
import type { Category } from '../../model/portal-change/category-schema';
import type { Portal } from '../client';
import { pathOf } from '../http/address';
import { flag, toList, toRecord, toText } from '../http/reading';
import type { CallOptions } from '../http/request';
import { portalError } from '../http/response-limits';

/** Some portals answer a bare list, or an object without anything, where none is set. */
const schemaAnswer = z.unknown().transform((answer) => {
  const fields = toRecord(answer);
  return toList(fields ? fields['categorySchema'] : answer);
});

/**
 * The organization's category trees; empty where none is set, which is believed only while somebody is signed in.
 * docs/reference/portal-interface.md, "Category schema"
 *
 * @throws PortolanError BAD_RESPONSE where a category has no title: half a schema is none
 */
export async function readCategorySchema(
  portal: Portal,
  portalId: string,
  options?: CallOptions,
): Promise<Category[]> {
  const operation = 'categorySchema.read';
  const path = pathOf`portals/${portalId}/categorySchema`;
  const read = async (): Promise<Category[]> => {
    const trees = await portal.call({ operation, path, schema: schemaAnswer }, options);
    const isNone = trees.length === 1 && Object.keys(toRecord(trees[0]) ?? { some: true }).length === 0;
    return isNone ? [] : trees.map((each) => toCategory(each, portal));
  };
  const session = await portal.signedIn();
  const trees = await read();
  if (trees.length > 0) return trees;
  return (await portal.confirmSignedIn(session, options)) === 'renewed' ? await read() : trees;
}

function toCategory(value: unknown, portal: Portal): Category {
  const { title, description, categories, ...more } = toRecord(value) ?? {};
  const [words, says] = [toText(title), toText(description)];
  if (words === undefined)
    throw portalError(
      'BAD_RESPONSE',
      portal.name,
      'categorySchema.read',
      'returned a category without a title',
    );
  return {
    ...more,
    title: words,
    ...(says && { description: says }),
    ...(categories !== undefined && {
      categories: toList(categories).map((each) => toCategory(each, portal)),
    }),
  };
}

/** Sets the category trees, in place of those that are there. docs/reference/portal-interface.md, "Category schema" */
export async function assignCategorySchema(
  portal: Portal,
  portalId: string,
  categories: readonly Category[],
  options?: CallOptions,
): Promise<void> {
  await portal.call(
    {
      operation: 'categorySchema.assign',
      method: 'POST',
      path: pathOf`portals/${portalId}/assignCategorySchema`,
      params: { categorySchema: JSON.stringify({ categorySchema: categories }) },
      schema: z.looseObject({ success: flag }),
    },
    options,
  );
}

/**
 * Removes the organization's category schema; full administrators only.
 * docs/reference/portal-interface.md, "Category schema"
 *
 * @throws PortolanError NOT_FOUND where the portal does not exist or the user may not
 */
export async function deleteCategorySchema(
  portal: Portal,
  portalId: string,
  options?: CallOptions,
): Promise<void> {
  await portal.call(
    {
      operation: 'categorySchema.delete',
      method: 'POST',
      path: pathOf`portals/${portalId}/deleteCategorySchema`,
      schema: z.looseObject({ success: flag }),
    },
    options,
  );
}
