import { afterEach, describe, expect, it } from '@jest/globals';
import { Scrubber } from '../../../src/portal/http/scrubber';
import { knownError } from '../../../src/portal/known-errors';
import { readItem } from '../../../src/portal/resources/items/items';
import { readService } from '../../../src/portal/resources/layers';
import { readJob } from '../../../src/portal/resources/jobs';
import { readSelf } from '../../../src/portal/resources/portals';
import { failureOf, json, portalError, portalsOf, words } from '../raw-portal';

const startPortal = portalsOf(afterEach);
const ITEM = 'content/items/a';

describe('a long text from a portal', () => {
  it.each([
    ['beginnings of titles', '<title'.repeat(120_000)],
    ['titles that never end', '<title>'.repeat(120_000)],
    ['titles with attributes', `<${'title '.repeat(120_000)}`],
  ])('is a page without a title: %s', async (_what, page) => {
    const portal = await startPortal({ [ITEM]: words(page.startsWith('<') ? page : `<${page}`, 500) });
    const { code, facts } = await failureOf(readItem(portal.client(), 'a'));
    expect({ code, facts }).toMatchObject({ code: 'SERVER_ERROR', facts: { portalWords: 'HTTP 500' } });
  });

  it('is a title, when it is a page with one', async () => {
    const portal = await startPortal({
      [ITEM]: words('<html><TITLE lang="en">\n Bad\n gateway</TITLE>', 500),
    });
    const { facts } = await failureOf(readItem(portal.client(), 'a'));
    expect(facts).toMatchObject({ portalWords: 'a page titled "Bad gateway"' });
  });

  it.each(['http://', 'token=', 'https://a?b ', '//a@', "folder title '"])(
    'is cut in an error: %s',
    async (piece) => {
      const portal = await startPortal({ [ITEM]: portalError(400, piece.repeat(100_000)) });
      const { code, facts } = await failureOf(readItem(portal.client(), 'a'));
      expect(code).toBe('BAD_REQUEST');
      expect(String((facts as { portalWords: string }).portalWords).length).toBeLessThanOrEqual(500);
    },
  );

  it('is a title of its beginning and its hash', async () => {
    const title = 't'.repeat(100_000);
    const titled = async (words: string) => {
      const portal = await startPortal({ [ITEM]: json({ id: 'a', title: words, type: words }) });
      const item = await readItem(portal.client(), 'a');
      expect(item.type).toBe(item.title);
      return item.title ?? '';
    };
    const [one, other] = [await titled(`${title}a`), await titled(`${title}b`)];
    expect(one).toMatch(/^t{400}… \(100001 characters\) sha256 [0-9a-f]{16}$/);
    expect(other).not.toBe(one);
    expect(await titled('t'.repeat(500))).toBe('t'.repeat(500));
  });

  it('is cut in records of the portal and of jobs', async () => {
    const long = 'v'.repeat(1_000_000);
    const portal = await startPortal({
      'portals/self': json({
        id: 'p',
        enterpriseVersion: long,
        portalHostname: long,
        user: { username: 'sync', role: long },
      }),
      'portals/p/jobs/j': json({ id: 'j', status: long }),
    });
    const client = portal.client();
    const { enterpriseVersion, portalHostname, user } = await readSelf(client);
    const { status } = await readJob(client, 'p', 'j', {});
    for (const words of [enterpriseVersion, portalHostname, user?.role, status])
      expect(words?.length).toBeLessThanOrEqual(500);
  });

  it('is searched for a known error at its beginning only', () => {
    const full = 'No space left on device';
    expect(knownError({ words: full })?.code).toBe('DISK_FULL');
    expect(knownError({ words: `${' '.repeat(10_000)}${full}` })).toBeUndefined();
  });

  it('is cleaned of secrets', () => {
    const scrubber = new Scrubber();
    scrubber.learn('not-to-be-seen');
    const clean = scrubber.scrub(`${'http://'.repeat(100_000)} https://a.example.com/b?c=not-to-be-seen`);
    expect(clean.slice(-30)).toMatch(/https:\/\/a\.example\.com\/b\?\*\*\*$/);
    expect(scrubber.scrub('https://a.example.com/b?x=1?y=2 next')).toBe('https://a.example.com/b?*** next');
  });

  it('is an address of many slashes', async () => {
    const portal = await startPortal({});
    const url = `${portal.url}/rest/services${'/'.repeat(400_000)}x`;
    await expect(readService(portal.client(), url)).rejects.toThrow();
  });
});
