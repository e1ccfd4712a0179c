import { z } from 'zod';
import { PortolanError } from '../model/errors';
import type { Portal } from './client';
import { pathOf } from './path';
import { flag, toList } from './reading';
import type { CallOptions } from './request';

/** docs/portal-interface.md, "Category schema" */
export interface Category {
  readonly title: string;
  readonly description?: string;
  readonly categories?: readonly Category[];
  readonly [more: string]: unknown;
}

/** Limits of a schema. docs/portal-interface.md, "Category schema" */
export const categoryLimits = {
  trees: 5,
  levels: 4,
  categories: 200,
  titleLength: 100,
  descriptionLength: 300,
} as const;

const schemaAnswer = z.looseObject({ categorySchema: z.unknown().optional() });

/** The organization's category trees; empty where none is set. docs/portal-interface.md, "Category schema" */
export async function readCategorySchema(
  portal: Portal,
  portalId: string,
  options?: CallOptions,
): Promise<Category[]> {
  const answer = await portal.call(
    {
      operation: 'categorySchema.read',
      path: pathOf`portals/${portalId}/categorySchema`,
      schema: schemaAnswer,
    },
    options,
  );
  return toList(answer.categorySchema).filter(isCategory);
}

/** Sets the category trees, in place of those that are there. docs/portal-interface.md, "Category schema" */
export async function assignCategorySchema(
  portal: Portal,
  portalId: string,
  categories: readonly Category[],
  options?: CallOptions,
): Promise<void> {
  if (categories.length > categoryLimits.trees) {
    throw new PortolanError('BAD_REQUEST', `A category schema has at most ${categoryLimits.trees} trees.`);
  }
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
 * docs/portal-interface.md, "Category schema"
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

const isCategory = (value: unknown): value is Category =>
  typeof value === 'object' && value !== null && 'title' in value && typeof value.title === 'string';
