import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdir } from 'node:fs/promises';
import { type HTMLElement, parse } from 'node-html-parser';
import pino from 'pino';
import type { Browser } from 'playwright-core';
import { h } from 'preact';
import { contract } from '../../src/contract/contract';
import type { StatusView } from '../../src/contract/status';
import { loadConfig } from '../../src/config/load-config';
import type { Config } from '../../src/config/config';
import { type RunRecord, runRecord } from '../../src/model/run/run';
import { shortRunId } from '../../src/model/run/run-id';
import { durationWords } from '../../src/model/text/words';
import { plan as planSchema } from '../../src/model/transfer/plan';
import { NowPage } from '../../src/serve/page/pages/now-page';
import type { RuleDetail } from '../../src/contract/protect';
import { RulePage } from '../../src/serve/page/pages/coverage-page';
import { RoutePage } from '../../src/serve/page/pages/route-page';
import type { SnapshotView } from '../../src/contract/snapshots';
import { mayDo } from '../../src/serve/page/visit';
import { hashOfKey } from '../../src/serve/access';
import type { Caller } from '../../src/service/may';
import { type RunningServer, startServer } from '../../src/serve/server';
import { keys } from '../../src/store/keys';
import { removeUp, writeUp } from '../../src/temporal/dev-server/up-file';
import { browsing, startBrowser, unreadable, violations } from '../support/browser';
import { hostile, openPageWorld, type PageWorld } from './page-world';
import type { Site } from '../support/site';
import { expectEnd, inProcess } from '../support/in-process';
import { until } from '../support/until';
import { rendered } from './a-page';

let world: PageWorld;
let browser: Browser;
let site: Site;
let server: RunningServer;
let runId: string;
let waiting: string;

const shownBy = async (answer: Response) => {
  const html = await answer.text();
  const root = parse(html);
  const text = (root.querySelector('main')?.text ?? '').replace(/\s+/g, ' ').trim();
  return { status: answer.status, html, root, text, headers: answer.headers };
};
/** A page as a browser without JavaScript has it. */
const open = async (where: string, headers: Record<string, string> = {}) =>
  await shownBy(await fetch(`${server.url}${where}`, { headers: { accept: 'text/html', ...headers } }));

beforeAll(async () => {
  [world, browser] = await Promise.all([openPageWorld(), startBrowser()]);
  ({ site, server, runId, waiting } = world);
});
afterAll(async () => {
  await browser?.close();
  await world.close();
});

/** What a browser would run, or style with, that stands in the page itself. */
const inlined = (root: HTMLElement) =>
  root
    .querySelectorAll('*')
    .filter(
      (each) =>
        ['IFRAME', 'OBJECT', 'EMBED', 'BASE', 'STYLE', 'IMG'].includes(each.tagName) ||
        (each.tagName === 'SCRIPT' &&
          (each.text !== '' || !each.getAttribute('src')?.startsWith('/assets/'))) ||
        Object.keys(each.attributes).some((name) => /^(on|style$|srcdoc$)/i.test(name)) ||
        /^\s*javascript:/i.test(each.getAttribute('href') ?? each.getAttribute('action') ?? ''),
    )
    .map((each) => each.toString().slice(0, 200));

const csp =
  "default-src 'none';script-src 'self';style-src 'self';img-src 'self';connect-src 'self';form-action 'self';frame-ancestors 'none';base-uri 'none'";

/** Sends a form as a browser does that was shown it here. */
const send = async (
  where: string,
  fields: Record<string, string> = {},
  headers: Record<string, string> = { origin: new URL(server.url).origin },
) => {
  const { _csrf: token = '' } = hidden((await open('/runs')).root, '/syncs');
  const answer = await fetch(`${server.url}${where}`, {
    method: 'POST',
    redirect: 'manual',
    headers: { accept: 'text/html', ...headers },
    body: new URLSearchParams({ _csrf: token, ...fields }),
  });
  return { ...(await shownBy(answer)), to: answer.headers.get('location') ?? '' };
};

/** What a form of a page sends besides what is typed. */
const hidden = (root: HTMLElement, action: string): Record<string, string> =>
  Object.fromEntries(
    root
      .querySelectorAll(`form[action="${action}"] input[type=hidden]`)
      .map((each) => [each.getAttribute('name') ?? '', each.getAttribute('value') ?? '']),
  );

const textsOf = (root: HTMLElement, selector: string) =>
  root.querySelectorAll(selector).map((each) => each.text);

describe('a page', () => {
  it('shows text of portals and callers as text [P16]', async () => {
    for (const where of world.pages) {
      const { status, html, root, headers } = await open(where);
      expect([where, status, headers.get('content-type'), headers.get('content-security-policy')]).toEqual([
        where,
        where.includes('nothing') ? 404 : 200,
        'text/html; charset=utf-8',
        csp,
      ]);
      expect([where, inlined(root)]).toEqual([where, []]);
      expect(html).not.toMatch(/[\u202A-\u202E\u2066-\u2069\u200B-\u200F\u0000-\u0008]/);
      // The reference lists everything.
      expect(html.length).toBeLessThan(where === '/api' ? 140_000 : 60_000);
      expect(root.querySelectorAll('script')).toHaveLength(1);
    }
    const { text, root } = await open(`/runs/${waiting}`);
    expect(text).toContain(hostile.markup);
    expect(text).toContain('safegnp.exehidden');
    const long = root.querySelectorAll('#plan bdi').find((each) => each.text.startsWith('xxx'));
    expect(long?.text).toMatch(/^x{300}…$/);
    expect(long?.getAttribute('title')).toMatch(/^x{400,2000}…/);
  });

  it('shows what an approval binds, with the same commands and changes first', async () => {
    const { plan } = await world.typed<RunRecord>(`run show ${waiting}`);
    const now = (await open('/')).root.querySelector('#waiting');
    expect(now?.text).toMatch(/Waiting for approval \(1\).*sync asks.*5 overwrite/);
    expect(now?.querySelector('a')?.getAttribute('href')).toBe(`/runs/${waiting}`);
    const short = await fetch(`${server.url}/runs/${shortRunId(waiting)}`, { redirect: 'manual' });
    expect([short.status, short.headers.get('location')]).toEqual([302, `/runs/${waiting}`]);
    const { text, root } = await open(`/runs/${waiting}`);
    expect(text).toContain(`Waiting for approval of plan ${plan?.hash}. The target is unchanged.`);
    expect(textsOf(root, '#decision code')).toEqual(
      expect.arrayContaining([
        plan?.hash,
        `portolan run approve ${shortRunId(waiting)} --plan ${plan?.hash}`,
        `portolan run reject ${shortRunId(waiting)} --reason "..."`,
      ]),
    );
    expect(root.querySelector('#decision .binds')?.text).toMatch(/overwrite \(.*\d+ changes?/);
    const when = root.querySelector('main time');
    expect(when?.getAttribute('datetime')).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
    expect(when?.getAttribute('title')).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d/);
    const changing = (plan?.changed ?? 0) + (plan?.unknown ?? 0);
    expect(changing).toBeGreaterThan(0);
    expect(textsOf(root, '#plan option[selected]')).toEqual([`changed (${changing})`]);
    expect(root.querySelectorAll('#plan-rows tr.change')).toHaveLength(changing);
    const api = await fetch(`${server.url}/api/v1/runs/${waiting}/plan?changed=true`);
    expect(await api.json()).toMatchObject({ total: changing });
  });

  it('lists every operation of the API with its fields', async () => {
    const { root } = await open('/api');
    expect(root.querySelector('[aria-label="Answer of listHooks"]')?.text).toContain('direction');
    expect(root.querySelectorAll('article')).toHaveLength(Object.keys(contract).length);
  });

  it.each([
    ['/runs/nothing-like-it', 404, 'RUN_NOT_FOUND'],
    ['/runs?before=x', 400, 'is not a cursor of this list'],
    ['/pipelines/nothing', 404, 'PIPELINE_NOT_FOUND'],
    ['/backups/nothing', 404, 'ROUTE_NOT_FOUND'],
    ['/items/nothing', 404, 'ITEM_NOT_FOUND'],
    ['/nothing/like/it', 404, 'NOT_FOUND'],
  ])('says what is wrong with %s', async (where, status, words) => {
    const { root, ...page } = await open(where);
    expect([page.status, root.querySelector('[role=alert]')?.text]).toEqual([
      status,
      expect.stringContaining(words),
    ]);
    expect(root.querySelectorAll('header nav a')).toHaveLength(8);
  });

  it.each([
    ['/nothing', '*/*'],
    ['/api/v1/nothing', 'text/html'],
    ['/api/nothing', 'text/html'],
  ])('is not what %s gets that accepts %s', async (where, accept) => {
    const { status, headers } = await open(where, { accept });
    expect([status, headers.get('content-type')]).toEqual([
      404,
      expect.stringContaining('application/problem+json'),
    ]);
  });

  it('claims nothing that did not happen', async () => {
    for (const where of [
      ...['approve', 'resume', 'cancel', 'later', 'started', 'again', 'release'].map(
        (each) => `/runs/${waiting}?did=${each}`,
      ),
      ...['pause', 'resume-schedule', 'trigger-later'].map((each) => `/schedules?did=${each}`),
    ])
      expect([where, (await open(where)).root.querySelector('#done')]).toEqual([where, null]);
  });

  it("links to Temporal's Web UI only from its own machine", async () => {
    const { state } = site.config.temporal;
    await mkdir(state, { recursive: true });
    await writeUp(state, { ui: 'http://127.88.3.9:23111' });
    for (const where of [`/runs/${waiting}`, `/api/v1/runs/${waiting}/view`]) {
      const { html } = await open(where);
      expect(html).toContain(waiting);
      expect(html).not.toContain('/namespaces/');
    }
    await removeUp(state);
  });

  it('shows what the store recorded if Temporal does not respond', async () => {
    await elsewhere({ temporal: { ...site.config.temporal, address: '127.0.0.1:1' } }, async () => {
      for (const [where, words] of [
        ['/', /cannot reach Temporal ?127\.0\.0\.1:1/],
        ['/runs', /Note: cannot reach Temporal; showing the records in the store.*succeeded/],
        [`/runs/${runId}`, /showing the last recorded state/],
        ['/schedules', /Configured in portolan\.yaml: nightly/],
        ['/audit', /start/],
      ] as const)
        expect([where, (await open(where)).text]).toEqual([where, expect.stringMatching(words)]);
      expect(await open(`/runs/${runId}/events`)).toMatchObject({ status: 503 });
    });
  });

  it('says that no worker is running', async () => {
    await elsewhere({ temporal: { ...site.config.temporal, taskQueue: 'of-nobody' } }, async () => {
      expect((await open('/')).text).toContain('no worker is running');
    });
  });

  it('marks a snapshot that was imported or is dated in the future', () => {
    const snapshot = {
      id: 'backup-a',
      route: 'free',
      kind: 'backup',
      takenAt: '2026-11-20T00:00:00Z',
      tags: [],
      problems: [],
      complete: true,
      good: true,
      source: { portal: 'north' },
      importedAt: '2026-11-21T00:00:00Z',
      ahead: true,
    } as unknown as SnapshotView;
    const page = {
      route: 'free',
      snapshots: [snapshot],
      runs: [],
      portals: [],
      isConfigured: false,
      hasMore: false,
    };
    const root = rendered(h(RoutePage, page));
    expect(root.querySelector('#snapshots')?.text).toContain('good, imported, clock ahead');
  });

  it('shows each group of a rule with a link to its backups', () => {
    const row = { groupId: 'a1', title: hostile.markup, status: 'failed', reason: 'NO', overdue: true };
    const rule = { portal: 'gis', rule: 'all', groups: 'all', exclude: [], concurrency: 1, overdue: 1 };
    const former = [{ groupId: 'b2', title: 'Old', since: '2026-11-20T00:00:00Z', exists: false }];
    const shown = { ...rule, rows: [row], changes: [], former } as unknown as RuleDetail;
    const root = rendered(h(RulePage, { rule: shown }));
    expect(root.querySelectorAll('#rule a').map((link) => link.getAttribute('href'))).toEqual(
      ['a1', 'b2'].map((id) => `/backups/${encodeURIComponent(`protect/gis/all/${id}`)}`),
    );
    expect(inlined(root)).toEqual([]);
  });

  it('says that nothing needs attention', () => {
    const none = ['running', 'waiting', 'parked', 'overdue', 'unapplied', 'notes', 'failed', 'unproven'];
    const inHours = (hours: number) => new Date(hours * 3_600_000 + 60_000).toISOString();
    const status = {
      ...Object.fromEntries([...none, 'rules', 'frozen', 'paused'].map((list) => [list, []])),
      temporal: { address: 'here', answers: true },
      workers: ['w'],
      backedUp: { routes: 14, oldestAt: inHours(-6.5) },
      next: [{ schedule: 'nightly', kind: 'sync', at: inHours(3) }],
    } as unknown as StatusView;
    expect(rendered(h(NowPage, { status, open: [] })).text).toContain(
      'Nothing needs attention. 14 routes backed up, oldest 6 h ago. Next: nightly in 3 h.',
    );
  });
});

describe('a run in the web UI', () => {
  let started: string;

  it('starts once per form, and open lists show it without a reload', async () => {
    await browsing(browser, server, { width: 1280, scheme: 'light' }, async ({ page }) => {
      await page.goto(`${server.url}/runs`);
      const why = page.locator('#start input[name=reason]');
      await why.fill('half a sen');
      const command = page.locator('#start .command code');
      expect(await command.textContent()).toMatch(/ --reason 'half a sen'$/);
      // A list that was set and left keeps its value, though its form looks unused.
      await page.locator('#start select').selectOption('asks');
      await why.fill('');
      await page.locator('#start').evaluate('document.activeElement.blur()');

      site.editSource();
      const fields = {
        ...hidden((await open('/runs')).root, '/syncs'),
        route: 'asks',
        reason: 'by the page',
      };
      const first = await send('/syncs', fields);
      expect([first.status, first.to]).toEqual([
        303,
        expect.stringMatching(/^\/runs\/sync-asks-.*\?did=started\./),
      ]);
      started = first.to.replace(/\?.*/, '');
      const again = await send('/syncs', fields);
      expect(again.to.startsWith(`${started}?did=again.`)).toBe(true);
      for (const [where, words] of [
        [first.to, 'Started.'],
        [again.to, expect.stringMatching(/^Already started/)],
        // The mark of one action is good neither for another one nor for another page.
        [first.to.replace('started', 'approve'), undefined],
        [first.to.replace(started, `/runs/${waiting}`), undefined],
      ])
        expect((await open(String(where))).root.querySelector('#done')?.text).toEqual(words);

      await page.locator(`#list a[href="${started}"]`).waitFor();
      expect(await page.locator('#start select').inputValue()).toBe('asks');
      expect(await command.textContent()).toBe('portolan sync asks');
    });
  });

  it('shows a plan of 1,000 rows page by page', async () => {
    const run = started.replace('/runs/', '');
    await site.waiting(site.temporal.client.workflow.getHandle(run));
    await manyRows(run, 1_000);
    const first = await open(`${started}?action=all`);
    expect(first.text).toContain('1 to 100 of 1 000 items');
    const further = first.root.querySelectorAll('#plan .pages a').at(-1)?.getAttribute('href') ?? '';
    expect((await open(further)).text).toContain('101 to 200 of 1 000 items');
    const found = await open(`${started}?search=row+711&action=create`);
    expect(textsOf(found.root, '#plan-rows tbody tr td:first-child')).toEqual(['Row 711']);
    expect((await open(`${started}?search=&action=`)).status).toBe(200);
  });

  it('is rejected only with a reason', async () => {
    const { plan = '' } = hidden((await open(started)).root, `${started}/reject`);
    expect(await send(`${started}/reject`, { plan, reason: ' ' })).toMatchObject({ status: 400 });
    expect(await send(`${started}/reject`, { plan, reason: 'not today' })).toMatchObject({ status: 303 });
    const handle = site.temporal.client.workflow.getHandle(started.replace('/runs/', ''));
    const { record } = await site.ended(handle);
    expect(record).toMatchObject({ status: 'cancelled', error: { code: 'REJECTED' } });
    expect(record.actions).toMatchObject([{ reason: 'by the page' }, { reason: 'not today' }]);
    expect(await send(`${started}/cancel`)).toMatchObject({
      status: 400,
      text: expect.stringContaining('has ended; it accepts no decisions'),
    });
  });

  it('needs the name of the portal and the shown plan for an approval [P02][P25]', async () => {
    const at = `/runs/${waiting}`;
    const shown = await open(at);
    const hash = shown.root.querySelector('#plan h2 code')?.text;
    const approval = hidden(shown.root, `${at}/approve`);
    expect(approval).toEqual({ plan: hash, _csrf: expect.any(String) });
    for (const [fields, words] of [
      [
        { ...approval, portal: 'north' },
        /overwrite \d+ items \(\d+ change\) on south\. You typed "north"\..*Nothing was approved/,
      ],
      [{ plan: '0000-0000-0000', portal: 'south' }, /not 0000-0000-0000/],
    ] as const) {
      const { status, root } = await send(`${at}/approve`, fields);
      expect([status, root.querySelector('#problem')?.text]).toEqual([400, expect.stringMatching(words)]);
      expect(root.querySelector('#plan h2 code')?.text).toBe(hash);
    }
    const handle = site.temporal.client.workflow.getHandle(waiting);
    expect((await site.state(handle)).status).toBe('waiting');
  });

  it('is approved by keys alone at 360 pixels, contacts no other host and parks [P24]', async () => {
    site.refuseImports();
    // browser.long.ts looks at all pages in more ways.
    await browsing(browser, server, { width: 360, scheme: 'dark' }, async (watched) => {
      const { page } = watched;
      expect(await unreadable(watched, server, ['/', `/runs/${waiting}`])).toEqual([]);
      const row = page.locator('#plan-rows details').first();
      await row.locator('summary').focus();
      await page.keyboard.press('Enter');
      await row.locator('ins, del').first().waitFor({ state: 'visible' });
      expect(await violations(page)).toEqual([]);
      // A change is reloaded only once nothing is open, unless the plan is another one.
      await page.evaluate("document.querySelector('#plan h2').textContent = 'old'; look()");
      await page.locator('#changed').waitFor({ state: 'visible' });
      expect(await row.getAttribute('open')).not.toBeNull();
      await page.evaluate("document.querySelector('#plan').dataset.about = 'another'; look()");
      const isNew = (title: string | null) => title !== 'old';
      await until('the plan', () => page.locator('#plan h2').textContent(), isNew);
      expect(await row.getAttribute('open')).toBeNull();

      for (const [name, text] of [
        ['portal', 'south'],
        ['reason', 'looked at'],
      ]) {
        for (let tabs = 0; tabs < 40; tabs += 1) {
          if ((await page.evaluate('document.activeElement.name')) === name) break;
          await page.keyboard.press('Tab');
        }
        await page.keyboard.type(text!);
      }
      await page.keyboard.press('Enter');
      // A busy worker receives it later than the page waits.
      await page.waitForURL(/did=(approve|later)/);
      await page.locator('#ways').waitFor();
      expect(await page.locator('#decision').count()).toBe(0);
      for (const ms of [0, 41_234, 59_960, 151_000, 3_720_000, 273_600_000])
        expect(await page.evaluate(`durationWords(${ms})`)).toBe(durationWords(ms));
    });
  });

  it('resumes by its form, and the audit has each reason', async () => {
    const at = `/runs/${waiting}`;
    const { root, text } = await open(at);
    expect(text).toMatch(
      /Parked in \w+\. Without a decision, it cleans up and fails in \d.*PERMISSION_DENIED/,
    );
    expect(textsOf(root, '#ways code')).toContain(`portolan run resume ${shortRunId(waiting)}`);
    expect((await open('/')).root.querySelector('#parked a.button')?.getAttribute('href')).toBe(at);
    site.target.faults.clear();
    const reason = 'the role is back';
    const wrong = await send(`${at}/resume`, { set: 'nothing=1', reason });
    const kept = wrong.root.querySelectorAll(`form[action="${at}/resume"] input[type=text]`);
    expect([wrong.status, ...kept.map((each) => each.getAttribute('value'))]).toEqual([
      400,
      'nothing=1',
      reason,
    ]);
    expect(await send(`${at}/resume`, { set: '', reason })).toMatchObject({
      status: 303,
      to: expect.stringContaining(`${at}?did=resume.`),
    });
    const { record } = await site.over(site.temporal.client.workflow.getHandle(waiting));
    expect(record).toMatchObject({ status: 'succeeded', target: 'changed' });
    expect(record.actions.map(({ what, reason: why }) => [what, why])).toEqual([
      ['start', expect.any(String)],
      ['approve', 'looked at'],
      ['resume', reason],
    ]);
    expect((await open('/audit')).text).toMatch(/the role is back.*looked at.*not today/);
  });
});

describe('a form', () => {
  it('restores one version of an item', async () => {
    const link = (await open('/items')).root.querySelector('#list a')?.getAttribute('href') ?? '';
    const { root } = await open(link);
    const form = root.querySelector('#version-1 form');
    const at = form?.getAttribute('action') ?? '';
    expect(form?.querySelector('button')?.text).toBe('Restore version 1');
    expect(root.querySelector('#version-1 code')?.text).toMatch(/^portolan item restore \S+ --at backup-/);
    const wrong = await send(at, { ...hidden(root, at), at: 'nowhere', requestId: 'another' });
    expect(wrong).toMatchObject({ status: 404, text: expect.stringContaining('SNAPSHOT_NOT_FOUND') });
    const { status, to } = await send(at, hidden(root, at));
    expect([status, to]).toEqual([303, expect.stringMatching(/^\/runs\/restore-/)]);
    await world.typed('run cancel', to.replace(/^.*\/|\?.*/g, '')).catch(() => undefined);
  });

  it('pauses and resumes a schedule', async () => {
    expect(await send('/schedules/nightly/resume')).toMatchObject({
      status: 303,
      to: expect.stringContaining('/schedules?did=resume-schedule.'),
    });
    expect((await open('/schedules')).text).toMatch(/nightly.*state ?on/);
    expect(await send('/schedules/nightly/pause', { reason: '' })).toMatchObject({ status: 400 });
    expect(await send('/schedules/nightly/pause', { reason: 'holidays' })).toMatchObject({ status: 303 });
    expect((await open('/schedules')).text).toMatch(/nightly.*state ?paused.*holidays/);
  });

  it('promotes a release, and its failed run needs attention', async () => {
    const { root } = await open('/pipelines/transport');
    const into = '/pipelines/transport/live/promote';
    const promoted = await send(into, hidden(root, into));
    expect(promoted.to).toMatch(/^\/runs\/promotion-transport-.*did=started\./);
    const at = promoted.to.replace(/\?.*/, '');
    const run = at.replace('/runs/', '');
    await site.ended(site.temporal.client.workflow.getHandle(run));
    const page = await open(at);
    expect(page.text).toMatch(/The target is unchanged.*What went wrong.*5 items are blocked on the stage/);
    expect(page.html).not.toMatch(/[\u202A-\u202E\u2066-\u2069]/);
    const child = page.root.querySelector('a[href^="/runs/restore-"]')?.getAttribute('href') ?? '';
    expect((await open(child)).root.querySelector('#head')?.text).toContain(`parent${run}`);

    await world.typed('freeze south --reason "an audit"');
    const rows = async () =>
      (await open('/')).root
        .querySelectorAll('#attention tr')
        .map((each) => [...textsOf(each, 'td').slice(0, 2), each.querySelector('a')?.getAttribute('href')]);
    const failed = ['failed or partial in the last 24 hours', run, at];
    const named = await until('the failed run', rows, (all) => all.flat().includes(failed[0]));
    expect(named).toEqual(
      expect.arrayContaining([
        failed,
        ['never proven', 'free', '/backups/free'],
        ['frozen', 'south', '/audit'],
      ]),
    );
    expect(named.join()).not.toContain('nightly');
    await expectEnd(inProcess(['status'], { cwd: site.folder }), 3, /^frozen +south +by /m);
    await world.typed('unfreeze south');
    expect((await rows()).join()).not.toContain('south');
  });

  it('keeps what was typed if it is refused', async () => {
    const { root, text } = await open('/backups/free');
    expect((await open('/backups')).text).toMatch(/free(just now|\d+ min ago).*Not backed up yet: asks$/);
    expect(text).toContain('free');
    const at = '/backups/free/restore';
    const { requestId, ...others } = hidden(root, at);
    const snapshot =
      root.querySelectorAll('select[name=snapshot] option').at(-1)?.getAttribute('value') ?? '';
    const typed = { to: 'nowhere', into: hostile.markup, overwrite: 'yes', reason: hostile.markup, snapshot };
    const refused = await send(at, { ...others, requestId: String(requestId), ...typed });
    expect(refused.status).toBe(404);
    expect(refused.root.querySelector('h1')?.text).toBe('Backups of free');
    expect(refused.root.querySelector('#problem')?.text).toContain('PORTAL_NOT_FOUND');
    expect(inlined(refused.root)).toEqual([]);
    const again = refused.root.querySelector(`form[action="${at}"]`);
    const valueOf = (name: string) => again?.querySelector(`input[name=${name}]`)?.getAttribute('value');
    expect(['requestId', 'into', 'reason'].map(valueOf)).toEqual([requestId, hostile.markup, hostile.markup]);
    expect(again?.querySelector('input[name=overwrite]')?.attributes).toHaveProperty('checked');
    expect(again?.querySelector('option[selected]')?.getAttribute('value')).toBe(snapshot);
    // Other forms of the page are empty.
    const other = refused.root.querySelector('form[action="/backups/free/create"] input[name=reason]');
    expect(other?.attributes).not.toHaveProperty('value');
    expect(refused.root.querySelector('main')?.attributes).not.toHaveProperty('data-live');
  });

  it.each([
    ['approve', 'sync', 'roads', true],
    ['approve', 'promotion', 'transport', true],
    ['approve', 'sync', 'transport', false],
    ['approve', 'promotion', 'roads', false],
    ['operate', 'sync', 'roads', false],
  ] as const)('to %s a %s of %s has a button: %s', (right, kind, name, expected) => {
    const caller: Caller = {
      who: 'somebody',
      identity: 'key',
      rights: ['view', 'approve'],
      routes: ['roads'],
      pipelines: ['transport'],
    };
    const visit = { caller, path: '/', mayLeave: false, now: 0, assets: { style: '', script: '', mark: '' } };
    expect(mayDo(visit, right, { kind, route: { name } })).toBe(expected);
    expect(mayDo({ ...visit, caller: undefined }, 'view')).toBe(false);
  });

  it('does only what the rights of a key allow [P25]', async () => {
    expect((await send('/syncs', { route: 'free', _csrf: 'guessed' })).text).toContain('CROSS_SITE');
    const keyOf = (name: string) => `planted-key-of-${name}`;
    const keys = [
      { name: 'wall', sha256: hashOfKey(keyOf('wall')), rights: ['view'] as const },
      { name: 'other', sha256: hashOfKey(keyOf('other')), rights: ['approve'] as const, routes: ['free'] },
    ];
    const serve = {
      ...loadConfig(`${site.folder}/portolan.yaml`).serve,
      open: false,
      keys: new Map(keys.map((each) => [each.name, each])),
    };
    await elsewhere({ serve }, async () => {
      const nobody = await open('/runs');
      expect([nobody.status, nobody.text]).toEqual([401, expect.stringContaining('Not signed in')]);
      // What a form without a session sends shows nothing of a run.
      for (const deed of ['approve', 'reject', 'resume', 'cancel']) {
        const told = await send(`/runs/latest/${deed}`, { reason: 'x' });
        expect([deed, told.status, told.html.includes(shortRunId(waiting))]).toEqual([deed, 401, false]);
      }
      const as = (name: string) => ({ authorization: `Bearer ${keyOf(name)}` });
      const { root } = await open('/runs', as('wall'));
      expect(root.querySelectorAll('form[method=post] button[type=submit]')).toEqual([]);
      expect(root.querySelector('#start')?.text).toContain('You need the start right.');
      for (const [where, fields, name] of [
        ['/syncs', { route: 'free' }, 'wall'],
        [`/runs/${waiting}/approve`, { plan: '0000-0000-0000' }, 'other'],
      ] as const) {
        const refused = await send(where, fields, as(name));
        expect([refused.status, refused.text]).toEqual([403, expect.stringContaining('RIGHT_MISSING')]);
      }
    });
  });
});

/** Does something with the pages of another server. */
async function elsewhere(changed: Partial<Config>, work: () => Promise<void>) {
  const usual = server;
  const config = loadConfig(`${site.folder}/portolan.yaml`);
  server = await startServer({ ...config, ...changed }, pino({ level: 'silent' }));
  try {
    await work();
  } finally {
    await server.close();
    server = usual;
  }
}

/** Lets the plan that a run waits with have so many rows. */
async function manyRows(run: string, count: number) {
  const { store } = site;
  const record = await store.readJson(keys.record(run), runRecord);
  const key = record?.plan?.ref ?? '';
  const before = await store.readJson(key, planSchema);
  const rows = Array.from({ length: count }, (_, at) => ({
    itemId: String(at).padStart(32, '0'),
    type: 'CSV',
    title: `Row ${at}`,
    action: at % 2 === 0 ? ('overwrite' as const) : ('create' as const),
  }));
  await store.writeJson(key, { ...before, rows });
}
