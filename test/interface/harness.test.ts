import { afterAll, describe, expect, it } from '@jest/globals';
import { readJob } from '../../src/portal/resources/jobs';
import { readSelf } from '../../src/portal/resources/portals';
import { Coverage, coveragePage, differences } from './coverage';
import type { Row } from './row';
import { wireWords } from './wire';
import { World } from './world';

const world = new World();
afterAll(() => world.close());

/** Asks one question of a portal. */
const asking: Row = {
  id: 'self',
  statement: 'A portal says what it is.',
  wire: { operation: 'portal.self', method: 'GET', path: '/portals/self', user: 'owner' },
  check: async (given) => {
    expect((await readSelf((await given.at()).as('owner'))).isPortal).toBe(true);
  },
};

const silent: Row = { ...asking, id: 'silent', statement: 'Nobody is asked.', check: () => {} };

const page = (rows: readonly Row[], passed: ReadonlySet<string>): string =>
  coveragePage([{ title: 'Rows', rows }], [], passed);

describe('a row', () => {
  it('passes where its check passes and the log holds its request', async () => {
    const coverage = new Coverage(world);
    await coverage.show(asking);
    expect([...coverage.passed]).toEqual(['self']);
  });

  it('fails where its check passes and its request is not in the log', async () => {
    const coverage = new Coverage(world);
    await expect(coverage.show(silent)).rejects.toThrow('Not on the wire: `GET portal.self`');
    expect(coverage.passed.size).toBe(0);
  });

  it('fails where only the test before it sent the request', async () => {
    const coverage = new Coverage(world);
    await coverage.show(asking);
    await expect(coverage.show(silent)).rejects.toThrow('There was: nothing');
    expect([...coverage.passed]).toEqual(['self']);
  });

  it('fails where its check fails, whatever the log holds', async () => {
    const coverage = new Coverage(world);
    const failing = {
      ...asking,
      check: async (given: World) => {
        await asking.check(given);
        throw new Error('it does not');
      },
    };
    await expect(coverage.show(failing)).rejects.toThrow('it does not');
    expect(coverage.passed.size).toBe(0);
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
  ] as const)('fails where the log should show %s', async (_, wire) => {
    await expect(new Coverage(world).show({ ...asking, wire })).rejects.toThrow('Not on the wire');
  });

  it('of an error passes with that error only', async () => {
    const check = async (given: World) => {
      const site = await given.at();
      await expect(readJob(site.as('admin'), site.orgId, 'none', {})).rejects.toThrow();
    };
    const lost = { ...asking, check, wire: { operation: 'job', errorCode: 404 } };
    await new Coverage(world).show(lost);
    const plain = { ...lost, wire: { operation: 'job' } };
    await expect(new Coverage(world).show(plain)).rejects.toThrow('Not on the wire: `job`: 200');
  });
});

describe('the page', () => {
  const rows = [asking, { ...silent, wire: undefined }];
  const both = page(rows, new Set(['self', 'silent']));

  it('counts its rows, and tells of each what shows it and what went over the wire', () => {
    expect(both).toContain('**2 statements**, 1 of them seen on the wire;');
    expect(both).toContain(
      '| A portal says what it is. | `self` | `GET portal.self` at `/portals/self` by `owner`: 200 |',
    );
  });

  it('is as it should be where the same rows passed', () => {
    expect(differences(both, page(rows, new Set(['self', 'silent'])))).toEqual([]);
  });

  it('has a row too many where one failed, or did not run', () => {
    expect(differences(both, page(rows, new Set(['self'])))).toEqual([
      '`silent` stands there, and has not run and passed',
    ]);
  });

  it('lacks a row that passed', () => {
    expect(differences(page(rows, new Set(['self'])), both)).toEqual(['`silent` has passed, and is missing']);
  });

  it('is not believed where a row says something else', () => {
    const words = both.replace('Nobody is asked.', 'Somebody is asked.');
    expect(differences(words, both)).toEqual(['`silent` reads otherwise']);
    expect(differences(both.replace('**2 statements**', '**3 statements**'), both)).toEqual([
      'the text around the rows reads otherwise',
    ]);
  });
});

describe('evidence', () => {
  it('is told with its parameters, its status and its error', () => {
    expect(
      wireWords({ operation: 'group.import', params: { async: 'true', itemId: /./ }, without: ['folderId'] }),
    ).toBe('`group.import` with `async=true`, `itemId` without `folderId`: 200');
    expect(wireWords({ operation: 'job', status: 400, errorCode: 404 })).toBe('`job`: 400, error 404');
    expect(wireWords({ unsent: 'group.export' })).toBe('no `group.export`');
  });
});
