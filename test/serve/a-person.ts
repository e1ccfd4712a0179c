import type { Browser, BrowserContext, Page } from 'playwright-core';
import { type Eyes, violations } from '../support/browser';
import { until } from '../support/until';

/** Whoever needs more of it does not get there by keys. */
const TABS_MAX = 250;

const eyes: Eyes = { width: 1280, scheme: 'light' };

/** Somebody with a browser and a keyboard: no mouse, no script of their own, and no page loaded by hand unless it says so. */
export class Person {
  /** What the browser complained of on pages of the server, and what axe found on those that were seen. */
  readonly wrongs: string[] = [];
  /** Paths of the pages that axe has looked at. */
  readonly seen = new Set<string>();

  private constructor(
    readonly name: string,
    readonly page: Page,
    private readonly context: BrowserContext,
    private readonly origin: string,
  ) {
    page.on('console', (message) => {
      const { url } = message.location();
      // What is refused, is refused by a status: a browser says so.
      const isRefusal = /status of 4\d\d/.test(message.text());
      if (url.startsWith(origin) && !isRefusal && message.type() === 'error')
        this.wrongs.push(message.text());
    });
    page.on('pageerror', (error) => this.wrongs.push(error.message));
  }

  static async at(browser: Browser, origin: string, name: string) {
    const { width, scheme: colorScheme } = eyes;
    const context = await browser.newContext({ viewport: { width, height: 900 }, colorScheme });
    return new Person(name, await context.newPage(), context, origin);
  }

  /** Types an address. */
  async opens(path: string) {
    await this.page.goto(`${this.origin}${path}`);
  }

  /** Goes from one thing to the next until it is this one. Throws where keys do not lead there. */
  async tabsTo(selector: string, key: 'Tab' | 'Shift+Tab' = 'Tab') {
    const isThere = () =>
      this.page.evaluate<boolean>(`document.activeElement?.matches(${JSON.stringify(selector)}) ?? false`);
    for (let tabs = 0; tabs < TABS_MAX; tabs += 1) {
      if (await isThere()) return;
      await this.page.keyboard.press(key);
    }
    throw new Error(`${this.name} does not come to ${selector} by ${key} on ${this.page.url()}`);
  }

  /** Goes to a link, a button or a summary, and takes it. */
  async takes(selector: string, key: 'Enter' | 'Space' = 'Enter') {
    await this.tabsTo(selector);
    await this.page.keyboard.press(key);
  }

  async types(selector: string, text: string) {
    await this.tabsTo(selector);
    await this.page.keyboard.type(text);
  }

  /** Fills in the last field of a form, and sends it. */
  async sends(selector: string, text: string) {
    await this.types(selector, text);
    await this.page.keyboard.press('Enter');
  }

  /** Waits until the page that is open shows it, by itself. */
  async sees(selector: string, words: RegExp) {
    const locator = this.page.locator(selector).first();
    return await until(
      `${this.name} to see ${String(words)} in ${selector} of ${this.page.url()}`,
      async () => ((await locator.textContent({ timeout: 1_000 })) ?? '').replace(/\s+/g, ' '),
      (text) => words.test(text),
    );
  }

  /** The same, and no other page is loaded meanwhile. */
  async staysAndSees(selector: string, words: RegExp) {
    await this.page.evaluate('window.isTheSame = true');
    await this.sees(selector, words);
    if (!(await this.page.evaluate<boolean>('window.isTheSame === true')))
      this.wrongs.push(`${this.page.url()} was loaded again`);
  }

  /** Waits until the browser has come there. */
  async comesTo(path: RegExp) {
    await this.page.waitForURL((url) => url.origin === this.origin && path.test(url.pathname + url.search));
    await this.page.waitForLoadState();
    return new URL(this.page.url()).pathname;
  }

  /** Looks at the page as somebody does who does not see it well. */
  async looks() {
    const { pathname } = new URL(this.page.url());
    this.seen.add(pathname.replace(/^(\/runs\/\w+)-.*?(\/\w+)?$/, '$1$2'));
    this.wrongs.push(...(await violations(this.page)).map((each) => `${pathname}: ${each}`));
  }

  /** Signs in with the page of the portal. */
  async signsIn(path: string) {
    await this.opens(path);
    if (!this.page.url().includes('/oauth2/authorize'))
      throw new Error(`${this.name} was not led to the portal, but to ${this.page.url()}`);
    await this.types('input[name=username]', this.name);
    await this.sends('input[name=password]', `${this.name}-pw`);
    await this.comesTo(new RegExp(`^${path}$`));
  }

  close() {
    return this.context.close();
  }
}
