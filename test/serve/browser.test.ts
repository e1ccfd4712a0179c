import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { type Eyes, openWatched, startBrowser, violations, type Watched } from '../support/browser';
import { openPageWorld, type PageWorld } from '../support/page-world';
import { until } from '../support/until';

let world: PageWorld;
let browser: Browser;
beforeAll(async () => {
  [world, browser] = await Promise.all([openPageWorld(), startBrowser()]);
});
afterAll(async () => {
  await browser?.close();
  await world.close();
});

const wide: Eyes = { width: 1280, scheme: 'light' };

/** Does something in a browser, and sees that nothing went wrong there. */
async function browsing(eyes: Eyes, work: (watched: Watched) => Promise<void>): Promise<void> {
  const watched = await openWatched(browser, new URL(world.server.url).origin, eyes);
  try {
    await work(watched);
    expect(watched.wrongs).toEqual([]);
  } finally {
    await watched.close();
  }
}

describe('in a browser, every page', () => {
  // The other ways to look at it are tried by browser.long.ts.
  it.each<Eyes>([wide, { width: 360, scheme: 'dark' }])(
    'can be read by everybody at $width pixels, $scheme: axe finds nothing, nothing is wider than the screen, and no other host is asked',
    async (eyes) => {
      await browsing(eyes, async ({ page, wrongs }) => {
        for (const where of world.pages) {
          await page.goto(`${world.server.url}${where}`);
          expect([where, await violations(page)]).toEqual([where, []]);
          const wider = await page.evaluate(
            'document.documentElement.scrollWidth - document.documentElement.clientWidth',
          );
          expect([where, wider]).toEqual([where, 0]);
        }
        // A browser says so of an answer that is none.
        const missing = wrongs.findIndex((each) => each.includes('404'));
        if (missing >= 0) wrongs.splice(missing, 1);
      });
    },
  );
});

describe('in a browser, a page', () => {
  it('shows what happens meanwhile without being loaded again, keeps what somebody is typing, and is worked by keys alone', async () => {
    await browsing(wide, async ({ page }) => {
      await page.goto(`${world.server.url}/runs`);
      const why = page.locator('#start input[name=reason]');
      await why.fill('half a sen');
      const { runId: run } = (await world.typed('sync', 'asks', '--full', '--no-wait')) as { runId: string };
      await page.locator(`#list a[href="/runs/${run}"]`).waitFor();
      expect(await why.inputValue()).toBe('half a sen');

      await page.goto(`${world.server.url}/runs/${run}`);
      await page.locator('#decision').waitFor();
      const focused = (): Promise<unknown> => page.evaluate('document.activeElement.name');
      for (let tabs = 0; tabs < 40 && (await focused()) !== 'portal'; tabs += 1)
        await page.keyboard.press('Tab');
      await page.keyboard.type('south');
      await page.keyboard.press('Enter');
      await page.waitForURL(/did=approve/);
      await until(
        'its end',
        () => page.locator('#head .mark').textContent(),
        (mark) => mark === 'succeeded',
      );
      expect(await page.locator('#decision').count()).toBe(0);
      expect(await page.locator('#ledger').textContent()).toContain('imported');
    });
  });

  it('searches the plan while somebody types, and copies a command', async () => {
    await browsing(wide, async ({ page }) => {
      await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
      await page.goto(`${world.server.url}/runs/${world.waiting}`);
      await page.locator('#plan input[name=search]').pressSequentially('Count 4');
      await until(
        'the row that is sought',
        () => page.locator('#plan-rows tbody tr td:first-child').allTextContents(),
        (titles) => titles.length === 1 && titles[0] === 'Count 4',
      );
      expect(new URL(page.url()).searchParams.get('search')).toBe('Count 4');
      await page.locator('#decision button[data-copy]').first().click();
      expect(await page.evaluate('navigator.clipboard.readText()')).toMatch(
        /^portolan run approve \w+ --plan [\da-f-]+$/,
      );
    });
  });
});
