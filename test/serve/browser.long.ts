import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { browsing, type Eyes, startBrowser, unreadable } from '../support/browser';
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

describe('in a browser, every page', () => {
  it.each<Eyes>([
    wide,
    { width: 360, scheme: 'dark' },
    { width: 1280, scheme: 'dark' },
    { width: 360, scheme: 'light' },
    { width: 768, scheme: 'light' },
  ])('can be read by everybody at $width pixels, $scheme: axe finds nothing', async (eyes) => {
    const { server, pages } = world;
    await browsing(browser, server, eyes, async (watched) => {
      expect(await unreadable(watched, server, pages)).toEqual([]);
    });
  });
});

describe('in a browser, a page', () => {
  it('searches the plan while somebody types, and copies a command', async () => {
    await browsing(browser, world.server, wide, async ({ page }) => {
      await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
      await page.goto(`${world.server.url}/runs/${world.waiting}`);
      await page.locator('#plan select').selectOption('all');
      await page.locator('#plan input[name=search]').pressSequentially('Count 4');
      await until(
        'the row that is sought',
        () => page.locator('#plan-rows tr:not(.change) > td:first-child').allTextContents(),
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
