import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
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
  const found = await page.evaluate<AxeResults>('axe.run()');
  return found.violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary = '' }) => `${id}: ${html.slice(0, 200)} ${failureSummary}`),
  );
}
