import { afterAll, describe, expect, it } from '@jest/globals';
import { readJob } from '../../src/portal/resources/jobs';
import { readSelf } from '../../src/portal/resources/portals';
import type { Row } from './row';
import { showRow } from './show-row';
import { wireWords } from './wire';
import { World } from './world';

const world = new World();
afterAll(() => world.close());

/** Sends one request to a portal. */
const asking: Row = {
  statement: 'A portal describes itself.',
  wire: { operation: 'portal.self', method: 'GET', path: '/portals/self', user: 'owner' },
  check: async (given) => {
    expect((await readSelf((await given.at()).as('owner'))).isPortal).toBe(true);
  },
};

const silent: Row = { ...asking, statement: 'No portal is called.', check: () => {} };

describe('a row', () => {
  it('passes if its check passes and the log holds its request', async () => {
    await expect(showRow(world, asking)).resolves.toBeUndefined();
  });

  it('fails if its request is not in the log', async () => {
    await expect(showRow(world, silent)).rejects.toThrow('Not on the wire: `GET portal.self`');
  });

  it('fails if only the test before it sent the request', async () => {
    await showRow(world, asking);
    await expect(showRow(world, silent)).rejects.toThrow('There was: nothing');
  });

  it('fails if its check fails, whatever the log holds', async () => {
    const failing = {
      ...asking,
      check: async (given: World) => {
        await asking.check(given);
        throw new Error('it does not');
      },
    };
    await expect(showRow(world, failing)).rejects.toThrow('it does not');
  });

  it.each([
    ['another operation', { operation: 'job' }],
    ['another method', { operation: 'portal.self', method: 'POST' }],
    ['another path', { operation: 'portal.self', path: '/portals/self/jobs' }],
    ['another value', { operation: 'portal.self', params: { f: 'html' } }],
    ['a parameter that did not come', { operation: 'portal.self', params: { g: /./ } }],
    ['a parameter that must not come', { operation: 'portal.self', without: ['f'] }],
    ['another body', { operation: 'portal.self', body: 'multipart/form-data' }],
    ['another way of the token', { operation: 'portal.self', tokenBy: 'query' }],
    ['another user', { operation: 'portal.self', user: 'admin' }],
    ['another status', { operation: 'portal.self', status: 400 }],
    ['an error', { operation: 'portal.self', errorCode: 404 }],
    ['no such request', { unsent: 'portal.self' }],
  ] as const)('fails if the log lacks %s', async (_, wire) => {
    await expect(showRow(world, { ...asking, wire })).rejects.toThrow('Not on the wire');
  });

  it('that expects an error passes with that error only', async () => {
    const check = async (given: World) => {
      const site = await given.at();
      await expect(readJob(site.as('admin'), site.orgId, 'none', {})).rejects.toThrow();
    };
    const lost = { ...asking, check, wire: { operation: 'job', errorCode: 404 } };
    await showRow(world, lost);
    const plain = { ...lost, wire: { operation: 'job' } };
    await expect(showRow(world, plain)).rejects.toThrow('Not on the wire: `job`: 200');
  });
});

describe('evidence', () => {
  it('is described with its parameters, status and error', () => {
    expect(
      wireWords({ operation: 'group.import', params: { async: 'true', itemId: /./ }, without: ['folderId'] }),
    ).toBe('`group.import` with `async=true`, `itemId` without `folderId`: 200');
    expect(wireWords({ operation: 'job', status: 400, errorCode: 404 })).toBe('`job`: 400, error 404');
    expect(wireWords({ unsent: 'group.export' })).toBe('no `group.export`');
  });
});
