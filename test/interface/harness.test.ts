import { afterAll, describe, expect, it } from '@jest/globals';
import { readSelf } from '../../src/portal/resources/portals';
import type { Row } from './row';
import { showRow } from './show-row';
import { World } from './world';

const world = new World();
afterAll(() => world.close());

const describing: Row = {
  statement: 'A portal describes itself.',
  wire: { operation: 'portal.self', method: 'GET', path: '/portals/self', user: 'owner' },
  check: async (_site, world) => {
    expect((await readSelf((await world.at()).as('owner'))).isPortal).toBe(true);
  },
};

describe('a row', () => {
  it('passes when its check passes and the log has its request', async () => {
    await expect(showRow(world, describing)).resolves.toBeUndefined();
  });

  it('fails when only the test before it sent the request', async () => {
    await showRow(world, describing);
    const silent = { ...describing, check: () => {} };
    await expect(showRow(world, silent)).rejects.toThrow('There was: nothing');
  });

  it('fails when its check fails', async () => {
    const failing = { ...describing, check: () => Promise.reject(new Error('wrong')) };
    await expect(showRow(world, failing)).rejects.toThrow('wrong');
  });

  it.each([
    ['another operation', { operation: 'job' }],
    ['another method', { operation: 'portal.self', method: 'POST' }],
    ['another path', { operation: 'portal.self', path: '/portals/self/jobs' }],
    ['another value', { operation: 'portal.self', params: { f: 'html' } }],
    ['an unsent parameter', { operation: 'portal.self', params: { g: /./ } }],
    ['a forbidden parameter', { operation: 'portal.self', without: ['f'] }],
    ['another body', { operation: 'portal.self', body: 'multipart/form-data' }],
    ['another place of the token', { operation: 'portal.self', tokenBy: 'query' }],
    ['another user', { operation: 'portal.self', user: 'admin' }],
    ['another status', { operation: 'portal.self', status: 400 }],
    ['an error', { operation: 'portal.self', errorCode: 404 }],
    ['a missing request', { unsent: 'portal.self' }],
  ] as const)('fails when its evidence is %s', async (_, wire) => {
    await expect(showRow(world, { ...describing, wire })).rejects.toThrow('Not on the wire');
  });
});
