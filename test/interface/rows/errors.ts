import { expect } from '@jest/globals';
import { PortolanError } from '../../../src/model/errors/errors';
import { assignCategorySchema, deleteCategorySchema } from '../../../src/portal/resources/category-schema';
import { exportGroup } from '../../../src/portal/resources/group-export';
import { readGroup } from '../../../src/portal/resources/groups';
import { readItem } from '../../../src/portal/resources/items/items';
import type { Row, Section } from '../row';
import type { World } from '../world';

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

/** The error of a removal that finds no such portal, as it came. */
async function envelope(world: World): Promise<unknown> {
  const client = await (await world.at()).raw('admin');
  return client.call('/portals/none/deleteCategorySchema');
}

const missing = 'Resource does not exist or is inaccessible.';

const rows: readonly Row[] = [
  {
    id: 'error.code',
    statement: 'An error is an object `error` with `code`, a whole number.',
    wire: { operation: 'categorySchema.delete', errorCode: 404 },
    check: async (world) => {
      expect(await envelope(world)).toEqual({ error: expect.objectContaining({ code: 404 }) });
      const site = await world.at();
      const error = await thrown(deleteCategorySchema(site.as('admin'), 'none'));
      expect([error.code, error.facts.portalCode]).toEqual(['NOT_FOUND', 404]);
    },
  },
  {
    id: 'error.message',
    statement: '`message` of an error is a text, which Portolan passes on.',
    wire: { operation: 'categorySchema.delete', errorCode: 404 },
    check: async (world) => {
      expect(await envelope(world)).toMatchObject({ error: { message: missing } });
      const site = await world.at();
      const error = await thrown(deleteCategorySchema(site.as('admin'), 'none'));
      expect(error.facts.portalWords).toBe(missing);
    },
  },
  {
    id: 'error.details.empty',
    statement: '`details` of an error is a list that may be empty.',
    wire: { operation: 'categorySchema.delete', errorCode: 404 },
    check: async (world) => {
      expect(await envelope(world)).toMatchObject({ error: { details: [] } });
    },
  },
  {
    id: 'error.details',
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
    id: 'error.status',
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
    id: 'error.missing.portal',
    statement:
      'A removal of the category schema of a portal that does not exist, or is inaccessible, is error 404 with words that say so.',
    wire: { operation: 'categorySchema.delete', path: '/portals/none/deleteCategorySchema', errorCode: 404 },
    check: async (world) => {
      expect(await envelope(world)).toEqual({ error: { code: 404, message: missing, details: [] } });
    },
  },
  {
    id: 'error.missing.others',
    statement:
      'Other resources that do not exist are told by the same words, with code 404 or, of groups and items, 400 (_relied on_).',
    wire: [
      { operation: 'group.read', errorCode: 400 },
      { operation: 'item.read', errorCode: 400 },
      { operation: 'task.read', errorCode: 404 },
    ],
    check: async (world) => {
      const site = await world.at();
      const owner = site.as('owner');
      expect((await thrown(readGroup(owner, 'f'.repeat(32)))).code).toBe('GROUP_NOT_FOUND');
      expect((await thrown(readItem(owner, 'f'.repeat(32)))).code).toBe('ITEM_NOT_FOUND');
      const client = await site.raw('owner');
      const noTask = await (await client.get('/community/users/owner/tasks/none?f=json')).json();
      expect(noTask).toMatchObject({ error: { code: 404 } });
    },
  },
  {
    id: 'error.synchronousExport',
    statement:
      'The HTTP status 400 of a synchronous export with `f=json` is permanent to Portolan, which never asks for one in a run.',
    wire: { operation: 'group.export', params: { f: 'json', async: 'false' }, status: 400, errorCode: 400 },
    check: async (world) => {
      const site = await world.at();
      const { groupId } = await site.plant([{ type: 'CSV' }]);
      const request = { async: false, version: site.version };
      const error = await thrown(exportGroup(site.as('owner'), groupId, request));
      expect([error.code, error.meaning.kind, error.facts.httpStatus]).toEqual([
        'BAD_REQUEST',
        'permanent',
        400,
      ]);
    },
  },
  {
    id: 'error.right',
    statement: 'What a missing right is called is not told; _relied on_: error 403.',
    wire: { operation: 'group.export', user: 'viewer', errorCode: 403 },
    check: async (world) => {
      const site = await world.at();
      const { groupId } = await site.plant([{ type: 'CSV' }]);
      const request = { async: true, version: site.version };
      expect((await thrown(exportGroup(site.as('viewer'), groupId, request))).code).toBe('PERMISSION_DENIED');
    },
  },
  {
    id: 'error.invalid',
    statement: 'What a parameter that makes no sense is called is not told; _relied on_: error 400.',
    wire: { operation: 'group.export', params: { async: 'perhaps' }, errorCode: 400 },
    check: async (world) => {
      const site = await world.at();
      const { groupId } = await site.plant([{ type: 'CSV' }]);
      const client = await site.raw('owner');
      const answer = await client.call(`/community/groups/${groupId}/export`, { async: 'perhaps' });
      expect(answer).toMatchObject({ error: { code: 400 } });
    },
  },
];

export const errorSection: Section = { title: 'Errors', rows };
