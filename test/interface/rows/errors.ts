import { expect } from '@jest/globals';
import { PortolanError } from '../../../src/model/errors/errors';
import { assignCategorySchema, deleteCategorySchema } from '../../../src/portal/resources/category-schema';
import { exportGroup } from '../../../src/portal/resources/group-export';
import { readGroup } from '../../../src/portal/resources/groups';
import { readItem } from '../../../src/portal/resources/items/items';
import { readTaskRun } from '../../../src/portal/resources/tasks';
import type { Row, Section } from '../row';

/** What a call threw. */
async function thrown(call: Promise<unknown>): Promise<PortolanError> {
  try {
    await call;
  } catch (error) {
    if (error instanceof PortolanError) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
}

const rows: readonly Row[] = [
  {
    statement: 'An error is an object `error` with `code`, a whole number.',
    wire: { operation: 'categorySchema.delete', errorCode: 404 },
    check: async (world) => {
      const site = await world.at();
      const error = await thrown(deleteCategorySchema(site.as('admin'), 'none'));
      expect([error.code, error.facts.portalCode]).toEqual(['NOT_FOUND', 404]);
    },
  },
  {
    statement: '`message` of an error is a text, which Portolan passes on.',
    wire: { operation: 'categorySchema.delete', errorCode: 404 },
    check: async (world) => {
      const site = await world.at();
      const error = await thrown(deleteCategorySchema(site.as('admin'), 'none'));
      expect(error.facts.portalWords).toBe('Resource does not exist or is inaccessible.');
    },
  },
  {
    statement: 'What stands in `details` is passed on as well.',
    wire: { operation: 'categorySchema.assign', errorCode: 400 },
    check: async (world) => {
      const site = await world.at();
      const long = [{ title: 'x'.repeat(101) }];
      const error = await thrown(assignCategorySchema(site.as('admin'), site.orgId, long));
      expect(error.facts.portalWords).toMatch(/^The category schema is not valid\. .+100/);
    },
  },
  {
    statement:
      'An error comes in an answer of HTTP status 200 (_relied on_: `error` decides, whatever the status).',
    wire: { operation: 'categorySchema.delete', status: 200, errorCode: 404 },
    check: async (world) => {
      const site = await world.at();
      const error = await thrown(deleteCategorySchema(site.as('admin'), 'none'));
      expect(error.facts.httpStatus).toBe(200);
    },
  },
  {
    statement:
      'Resources that do not exist, or are inaccessible, are told by the same words, with code 404 or, of groups and items, 400 (_relied on_).',
    wire: [
      { operation: 'group.read', errorCode: 400 },
      { operation: 'item.read', errorCode: 400 },
      { operation: 'taskRun.read', errorCode: 404 },
    ],
    check: async (world) => {
      const site = await world.at();
      const owner = site.as('owner');
      expect((await thrown(readGroup(owner, 'f'.repeat(32)))).code).toBe('GROUP_NOT_FOUND');
      expect((await thrown(readItem(owner, 'f'.repeat(32)))).code).toBe('ITEM_NOT_FOUND');
      const run = { ...site.task(), runId: 'none' };
      expect((await thrown(readTaskRun(owner, run))).code).toBe('NOT_FOUND');
    },
  },
  {
    statement: 'What a missing right is called is not told; _relied on_: error 403.',
    wire: { operation: 'group.export', user: 'viewer', errorCode: 403 },
    check: async (world) => {
      const site = await world.at();
      const { groupId } = await site.plant([{ type: 'CSV' }]);
      const request = { async: true, version: site.version };
      expect((await thrown(exportGroup(site.as('viewer'), groupId, request))).code).toBe('PERMISSION_DENIED');
    },
  },
];

export const errorSection: Section = { title: 'Errors', rows };
