import { errorOf } from '../../support/error-of';
import { expect } from '@jest/globals';
import {
  assignCategorySchema,
  deleteCategorySchema,
  readCategorySchema,
} from '../../../src/portal/resources/category-schema';
import { readGroup } from '../../../src/portal/resources/groups';
import { readItem } from '../../../src/portal/resources/items/items';
import { readTaskRun } from '../../../src/portal/resources/tasks';
import type { Row, Section } from '../row';

const rows: readonly Row[] = [
  {
    statement: 'Returns an error with code, message and details, and HTTP status 200.',
    wire: { operation: 'categorySchema.assign', status: 200, errorCode: 400 },
    check: async (site) => {
      const long = [{ title: 'x'.repeat(101) }];
      const { code, facts } = await errorOf(assignCategorySchema(site.as('admin'), site.orgId, long));
      expect([code, facts.portalCode, facts.httpStatus]).toEqual(['BAD_REQUEST', 400, 200]);
      expect(facts.portalWords).toMatch(/^The category schema is not valid\. .+100/);
    },
  },
  {
    statement: 'Reports missing groups and items with 400, other resources with 404.',
    wire: [
      { operation: 'group.read', errorCode: 400 },
      { operation: 'item.read', errorCode: 400 },
      { operation: 'taskRun.read', errorCode: 404 },
    ],
    check: async (site) => {
      const owner = site.as('owner');
      const id = 'f'.repeat(32);
      expect(await errorOf(readGroup(owner, id))).toMatchObject({
        code: 'GROUP_NOT_FOUND',
        facts: { portalWords: 'Group does not exist or is inaccessible.' },
      });
      expect((await errorOf(readItem(owner, id))).code).toBe('ITEM_NOT_FOUND');
      expect((await errorOf(readTaskRun(owner, { ...site.task(), runId: 'none' }))).code).toBe('NOT_FOUND');
    },
  },
];

const schema: readonly Row[] = [
  {
    statement: 'Deletes the category schema by an urlencoded POST; a repeat gets 404.',
    wire: [
      {
        operation: 'categorySchema.delete',
        method: 'POST',
        path: '/portals/<portalId>/deleteCategorySchema',
        body: 'application/x-www-form-urlencoded',
      },
      { operation: 'categorySchema.delete', errorCode: 404 },
    ],
    check: async (site) => {
      const [admin, trees] = [site.as('admin'), [{ title: 'Categories', categories: [{ title: 'Roads' }] }]];
      await assignCategorySchema(admin, site.orgId, trees);
      expect(await readCategorySchema(admin, site.orgId)).toEqual(trees);
      await deleteCategorySchema(admin, site.orgId);
      expect(await readCategorySchema(admin, site.orgId)).toEqual([]);
      expect((await errorOf(deleteCategorySchema(admin, site.orgId))).code).toBe('NOT_FOUND');
    },
  },
];

export const errorSection: Section = { title: 'Errors', rows };
export const categorySchemaSection: Section = { title: 'Category schema', rows: schema };
