import { expect } from '@jest/globals';
import {
  assignCategorySchema,
  deleteCategorySchema,
  readCategorySchema,
} from '../../../src/portal/resources/category-schema';
import type { Row, Section } from '../row';
import type { Site } from '../site';
import type { World } from '../world';

const operation = 'categorySchema.delete';
const path = '/portals/<portalId>/deleteCategorySchema';
const trees = [{ title: 'Categories', categories: [{ title: 'Roads', categories: [] }] }];

/** A portal that has a category schema. */
async function filed(world: World): Promise<Site> {
  const site = await world.at();
  await assignCategorySchema(site.as('admin'), site.orgId, trees);
  return site;
}

const rows: readonly Row[] = [
  {
    statement:
      'A POST to the `deleteCategorySchema` address of the portal removes the category schema of the organization.',
    wire: { operation, method: 'POST', path },
    check: async (world) => {
      const site = await filed(world);
      await deleteCategorySchema(site.as('admin'), site.orgId);
      expect(await readCategorySchema(site.as('admin'), site.orgId)).toEqual([]);
    },
  },
  {
    statement: 'It is sent urlencoded.',
    wire: { operation, body: 'application/x-www-form-urlencoded' },
    check: async (world) => {
      const site = await filed(world);
      await deleteCategorySchema(site.as('admin'), site.orgId);
    },
  },
  {
    statement:
      'Where no schema is set there is nothing to remove; _relied on_: it is answered as a resource that does not exist.',
    wire: { operation, errorCode: 404 },
    check: async (world) => {
      const site = await filed(world);
      await deleteCategorySchema(site.as('admin'), site.orgId);
      await expect(deleteCategorySchema(site.as('admin'), site.orgId)).rejects.toMatchObject({
        code: 'NOT_FOUND',
      });
    },
  },
];

export const categorySchemaSection: Section = {
  title: 'Category schema',
  rows: [...rows],
};
