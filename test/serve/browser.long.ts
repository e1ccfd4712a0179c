import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { SeedBuilder } from '../../src/simulator/seed/build';
import { manyGroupId } from '../../src/simulator/seed/seeds';
import { browsing, type Eyes, startBrowser, unreadable } from '../support/browser';
import { openPageWorld, type PageWorld } from './page-world';
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

it.each<Eyes>([
  wide,
  { width: 360, scheme: 'dark' },
  { width: 1280, scheme: 'dark' },
  { width: 360, scheme: 'light' },
  { width: 768, scheme: 'light' },
])('in a browser, every page passes axe at $width pixels, $scheme', async (eyes) => {
  const { server, pages } = world;
  await browsing(browser, server, eyes, async (watched) => {
    expect(await unreadable(watched, server, pages)).toEqual([]);
  });
});

describe('in a browser, a page', () => {
  it('searches the plan while typing, and copies a command', async () => {
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

  it('updates the rate, time left and elapsed times of a download', async () => {
    const { site, server } = world;
    const image = { id: 'd'.repeat(32), type: 'Image', name: 'mosaic.tif', title: 'Mosaic' };
    new SeedBuilder(site.source.world).generated({ ...image, groups: [manyGroupId] }, 9_000_000);
    site.source.faults.add({ match: { operation: 'item.data' }, do: { slow: 1_000_000 } });
    await browsing(browser, server, wide, async ({ page }) => {
      site.editSource();
      const { runId: run } = await world.typed<{ runId: string }>('sync free --full --no-wait');
      await page.goto(`${server.url}/runs/${run}`);
      const text = (part: string) => () => page.locator(part).textContent();
      await until('its rate', text('#phases .running .detail'), (seen) => /B\/s, .* left/.test(seen ?? ''));
      await page.goto(server.url);
      const elapsed = text(`#running .card:has(a[href="/runs/${run}"]) [data-since]`);
      const before = await elapsed();
      await until('a later time', elapsed, (seen) => seen !== before);
      site.source.faults.clear();
      await site.ended(site.temporal.client.workflow.getHandle(run));
    });
  });
});
