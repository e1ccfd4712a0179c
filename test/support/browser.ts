import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect } from '@jest/globals';
import { source as axe } from 'axe-core';
import { type Browser, chromium, type Page } from 'playwright-core';

/** Starts the Chromium that the machine has or gets; throws a sentence that says what to install. */
export async function startBrowser(): Promise<Browser> {
  const { stdout } = await promisify(execFile)(process.execPath, ['scripts/chromium.mjs']);
  return await chromium.launch({
    executablePath: stdout.trim(),
    args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--disable-background-networking'],
  });
}

/** How a person looks at it. */
export interface Eyes {
  readonly width: number;
  readonly scheme: 'light' | 'dark';
}

/** A page of a browser, and what it did that nobody should have it do. */
export interface Watched {
  readonly page: Page;
  /** What it wrote to its console, what it threw, and whatever it asked another host for. */
  readonly wrongs: string[];
  close(): Promise<void>;
}

export async function openWatched(
  browser: Browser,
  origin: string,
  { width, scheme }: Eyes,
): Promise<Watched> {
  const context = await browser.newContext({ viewport: { width, height: 900 }, colorScheme: scheme });
  const page = await context.newPage();
  const wrongs: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') wrongs.push(`console: ${message.text()}`);
  });
  page.on('pageerror', (error) => wrongs.push(`thrown: ${error.message}`));
  page.on('request', (request) => {
    if (new URL(request.url()).origin !== origin) wrongs.push(`asked: ${request.url()}`);
  });
  return { page, wrongs, close: () => context.close() };
}

interface AxeResults {
  readonly violations: readonly {
    readonly id: string;
    readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[];
  }[];
}

/** What axe finds wrong with what is shown, a line each. */
export async function violations(page: Page): Promise<string[]> {
  await page.evaluate(axe);
  const found = await page.evaluate<AxeResults>(
    'axe.run(document, { resultTypes: ["violations"], preload: false, iframes: false })',
  );
  return found.violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary = '' }) => `${id}: ${html.slice(0, 200)} ${failureSummary}`),
  );
}

/** Does something in a browser that shows pages of one server, and sees that nothing went wrong there. */
export async function browsing(
  browser: Browser,
  { url }: { readonly url: string },
  eyes: Eyes,
  work: (watched: Watched) => Promise<void>,
): Promise<void> {
  const watched = await openWatched(browser, new URL(url).origin, eyes);
  try {
    await work(watched);
    expect(watched.wrongs).toEqual([]);
  } finally {
    await watched.close();
  }
}

/** What is wrong with each of these pages for those who see badly, or have a small screen: what axe finds, and what is too wide. */
export async function unreadable(
  { page, wrongs }: Watched,
  { url }: { readonly url: string },
  addresses: readonly string[],
): Promise<unknown[]> {
  const found: unknown[] = [];
  for (const where of addresses) {
    await page.goto(`${url}${where}`);
    const wider = await page.evaluate<number>(
      'document.documentElement.scrollWidth - document.documentElement.clientWidth',
    );
    const seen = [
      ...(await violations(page)),
      ...(wider === 0 ? [] : [`${wider} pixels wider than the screen`]),
    ];
    if (seen.length > 0) found.push([where, seen]);
  }
  // A browser says so of an answer that is none.
  const missing = wrongs.findIndex((each) => each.includes('404'));
  if (missing >= 0) wrongs.splice(missing, 1);
  return found;
}
