import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { findTemporalCli } from '../../src/temporal/dev-server/temporal-cli';
import { type TemporalServer, startTemporalServer } from '../../src/temporal/dev-server/temporal-server';
import { startBrowser } from '../support/browser';
import { type CodecWorld, openCodecWorld } from './codec-world';

let folder: string;
let temporal: TemporalServer;
let world: CodecWorld;
let browser: Browser;
beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'portolan-codec-ui-'));
  const cli = await findTemporalCli();
  temporal = await startTemporalServer({
    cli: cli.path,
    address: '127.0.0.1:0',
    ui: true,
    logFile: path.join(folder, 'temporal.log'),
  });
  const { origin, hostname } = new URL(temporal.uiUrl ?? '');
  // Browsers send the cookie of the server to pages of its own host only.
  world = await openCodecWorld(origin, temporal.address, hostname);
  browser = await startBrowser();
});
afterAll(async () => {
  await browser?.close();
  await world.close();
  await temporal.stop();
  await rm(folder, { recursive: true, force: true });
});

/** What the page of the workflow comes to show, to somebody who has set the Web UI so. */
async function shown(isSignedIn: boolean) {
  const context = await browser.newContext();
  if (isSignedIn) await context.addCookies([{ ...world.cookie, url: world.url, sameSite: 'Lax' }]);
  const page = await context.newPage();
  // As the dialog of the Web UI keeps it: the endpoint, and "include cross-origin credentials".
  await page.addInitScript((endpoint) => {
    localStorage.setItem('endpoint', JSON.stringify(endpoint));
    localStorage.setItem('includeCredentials', 'true');
    localStorage.setItem('overrideRemoteCodecConfiguration', 'true');
  }, `${world.url}/codec`);
  const answered = page.waitForResponse((response) => response.url().endsWith('/codec/decode'));
  await page.goto(`${temporal.uiUrl}/namespaces/default/workflows/${world.workflowId}`);
  const { status } = await answered.then((response) => ({ status: response.status() }));
  if (status === 200) await page.getByText(world.words).first().waitFor();
  const text = await page.evaluate(() => document.body.innerText);
  await context.close();
  return `${status} ${text}`;
}

describe("Temporal's Web UI", () => {
  it('shows encrypted payloads only with a session of portolan serve [P23][P25]', async () => {
    const decrypted = await shown(true);
    expect(decrypted).toMatch(/^200 /);
    expect(decrypted).toContain(world.words);
    const sealed = await shown(false);
    expect(sealed).toMatch(/^401 /);
    expect(sealed).not.toContain(world.words);
  });
});
