import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { type Eyes, openWatched, startBrowser, violations } from '../support/browser';
import { openPageWorld, type PageWorld } from '../support/page-world';

let world: PageWorld;
let browser: Browser;
beforeAll(async () => {
  [world, browser] = await Promise.all([openPageWorld(), startBrowser()]);
});
afterAll(async () => {
  await browser?.close();
  await world.close();
});

describe('in a browser, every page', () => {
  it.each<Eyes>([
    { width: 1280, scheme: 'dark' },
    { width: 360, scheme: 'light' },
    { width: 768, scheme: 'light' },
  ])('can be read by everybody at $width pixels, $scheme: axe finds nothing', async (eyes) => {
    const { page, close } = await openWatched(browser, new URL(world.server.url).origin, eyes);
    for (const where of world.pages) {
      await page.goto(`${world.server.url}${where}`);
      expect([where, await violations(page)]).toEqual([where, []]);
    }
    await close();
  });
});
