import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdir } from 'node:fs/promises';
import { type HTMLElement, parse } from 'node-html-parser';
import pino from 'pino';
import type { Browser } from 'playwright-core';
import { Fragment, h } from 'preact';
import { contract } from '../../src/contract/contract';
import type { StatusView } from '../../src/contract/status';
import { loadConfig } from '../../src/config/load-config';
import type { Config } from '../../src/config/config';
import { type RunRecord, runRecord } from '../../src/model/run/run';
import { shortRunId } from '../../src/model/run/run-id';
import { durationWords } from '../../src/model/text/words';
import { plan as planSchema } from '../../src/model/transfer/plan';
import { NowPage } from '../../src/serve/page/pages/now-page';
import { RoutePage } from '../../src/serve/page/pages/route-page';
import type { SnapshotView } from '../../src/contract/snapshots';
import { renderPage } from '../../src/serve/page/page-reply';
import { Shell } from '../../src/serve/page/shell';
import { mayDo } from '../../src/serve/page/visit';
import { hashOfKey } from '../../src/serve/access';
import type { Caller } from '../../src/service/may';
import { type RunningServer, startServer } from '../../src/serve/server';
import { SeedBuilder } from '../../src/simulator/seed/build';
import { emptyGroupId, manyGroupId } from '../../src/simulator/seed/seeds';
import { keys } from '../../src/store/keys';
import { removeUp, writeUp } from '../../src/temporal/dev-server/up-file';
import { browsing, startBrowser, unreadable, violations } from '../support/browser';
import { hostile, openPageWorld, type PageWorld } from '../support/page-world';
import type { Rehearsal } from '../support/rehearsal';
import { inProcess } from '../support/in-process';
import { until } from '../support/until';

const key = 'planted-key-of-a-wall';

let world: PageWorld;
let browser: Browser;
let rehearsal: Rehearsal;
let server: RunningServer;
let runId: string;
let waiting: string;

interface Shown {
  readonly status: number;
  readonly html: string;
  readonly root: HTMLElement;
  readonly text: string;
  readonly headers: Headers;
}

/** A page as a browser without JavaScript has it. */
async function open(where: string): Promise<Shown> {
  const answer = await fetch(`${server.url}${where}`, { headers: { accept: 'text/html' } });
  const html = await answer.text();
  const root = parse(html);
  const text = (root.querySelector('main')?.text ?? '').replace(/\s+/g, ' ').trim();
  return { status: answer.status, html, root, text, headers: answer.headers };
}

beforeAll(async () => {
  [world, browser] = await Promise.all([openPageWorld(), startBrowser()]);
  ({ rehearsal, server, runId, waiting } = world);
});
afterAll(async () => {
  await browser?.close();
  await world.close();
});

/** What a browser would run, or style with, that stands in the page itself. */
const inlined = (root: HTMLElement): string[] =>
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

describe('in a browser, every page', () => {
  // browser.long.ts looks at all of them in all ways.
  it('fits a screen of 360 pixels and asks no other host for anything, and axe finds nothing in the dark where most is shown [P24]', async () => {
    await browsing(browser, server, { width: 360, scheme: 'dark' }, async (watched) => {
      expect(await unreadable(watched, server, world.pages, world.fullest)).toEqual([]);
    });
  });
});

describe('a page', () => {
  it('shows what portals and callers wrote as text: markup is no markup, nothing hides or turns text, and no title is longer than a line [P16]', async () => {
    for (const where of world.pages) {
      const { status, html, root, headers } = await open(where);
      expect([where, status, headers.get('content-type')]).toEqual([
        where,
        where.includes('nothing') ? 404 : 200,
        'text/html; charset=utf-8',
      ]);
      expect([where, headers.get('content-security-policy')]).toEqual([where, csp]);
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

  it('says what a run waits for, what an approval binds, and what can be typed in place of each button', async () => {
    const { plan } = (await world.typed('run', 'show', waiting)) as RunRecord;
    const now = await open('/');
    expect(now.root.querySelector('#waiting')?.text).toMatch(
      /Waiting for approval \(1\).*sync asks.*5 overwrite/,
    );
    expect(now.root.querySelector('#waiting a')?.getAttribute('href')).toBe(`/runs/${waiting}`);
    const { text, root } = await open(`/runs/${waiting}`);
    expect(text).toContain(`Waiting for approval of plan ${plan?.hash}. The target is unchanged.`);
    expect(root.querySelectorAll('#decision code').map((each) => each.text)).toEqual(
      expect.arrayContaining([
        plan?.hash,
        `portolan run approve ${shortRunId(waiting)} --plan ${plan?.hash}`,
        `portolan run reject ${shortRunId(waiting)} --reason "..."`,
      ]),
    );
    const when = root.querySelector('main time');
    expect([when?.getAttribute('datetime'), when?.getAttribute('title')]).toEqual([
      expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d/),
    ]);
  });

  it('shows first what changes inside the items of a plan, with counts also where it is approved', async () => {
    const { plan } = (await world.typed('run', 'show', waiting)) as RunRecord;
    const changing = (plan?.changed ?? 0) + (plan?.unknown ?? 0);
    expect(changing).toBeGreaterThan(0);
    const { root, html } = await open(`/runs/${waiting}`);
    expect(root.querySelector('#plan option[selected]')?.text).toBe(`changed (${changing})`);
    expect(root.querySelectorAll('#plan-rows tr.change')).toHaveLength(changing);
    expect(root.querySelector('#decision .binds')?.text).toMatch(/overwrite \(.*\d+ changes?/);
    expect(html).toContain('<ins>edited at ');
    const of = async (query: string): Promise<unknown> =>
      await (await fetch(`${server.url}/api/v1/runs/${waiting}/plan?${query}`)).json();
    expect(await of('changed=true')).toMatchObject({ total: changing });
    const all = await open(root.querySelector('#plan-rows a')?.getAttribute('href') ?? '');
    expect(all.root.querySelector('#plan option[selected]')?.text).toBe('all');
  });

  it('lists the fields of every operation of the API, also of answers with several shapes', async () => {
    const { root } = await open('/api');
    const answer = (id: string) => root.querySelector(`[aria-label="Answer of ${id}"]`)?.text;
    expect(answer('listHooks')).toContain('direction');
    expect(root.querySelectorAll('article')).toHaveLength(Object.keys(contract).length);
  });

  it('leads from an end of an id to the run, and from a plan of many rows to each of them without JavaScript', async () => {
    const short = await fetch(`${server.url}/runs/${shortRunId(waiting)}`, { redirect: 'manual' });
    expect([short.status, short.headers.get('location')]).toEqual([302, `/runs/${waiting}`]);
    await manyRows(waiting, 10_000);
    const first = await open(`/runs/${waiting}?action=all`);
    expect(first.text).toContain('1 to 100 of 10 000 items');
    const further = first.root.querySelectorAll('#plan .pages a').at(-1)?.getAttribute('href') ?? '';
    expect((await open(further)).text).toContain('101 to 200 of 10 000 items');
    const found = await open(`/runs/${waiting}?search=row+4711&action=create`);
    expect(
      found.root.querySelectorAll('#plan-rows tbody tr td:first-child').map((each) => each.text),
    ).toEqual(['Row 4711']);
    expect((await open(`/runs/${waiting}?search=&action=`)).status).toBe(200);
  });

  it('says of what is not there, or was asked for wrongly, what to do next', async () => {
    for (const [where, status, words] of [
      ['/runs/nothing-like-it', 404, 'RUN_NOT_FOUND'],
      ['/runs?before=x', 400, 'is not a cursor of this list'],
      ['/pipelines/nothing', 404, 'PIPELINE_NOT_FOUND'],
      ['/backups/nothing', 404, 'ROUTE_NOT_FOUND'],
      ['/items/nothing', 404, 'ITEM_NOT_FOUND'],
      ['/nothing/like/it', 404, 'NOT_FOUND'],
    ] as const) {
      const { root, ...page } = await open(where);
      expect([where, page.status]).toEqual([where, status]);
      expect(root.querySelector('[role=alert]')?.text).toContain(words);
      expect(root.querySelectorAll('header nav a')).toHaveLength(8);
    }
    // Whoever is no browser, and whatever is no page, is told so as a problem.
    const html = { accept: 'text/html' };
    for (const [where, headers] of [
      ['/nothing'],
      ['/api/v1/nothing', html],
      ['/api/nothing', html],
    ] as const) {
      const { status, headers: answered } = await fetch(`${server.url}${where}`, { headers });
      expect([where, status, answered.get('content-type')]).toEqual([
        where,
        404,
        expect.stringContaining('application/problem+json'),
      ]);
    }
  });

  it('says nothing that did not happen, whatever its address claims', async () => {
    const did = async (address: string) => (await open(address)).root.querySelector('#done')?.text;
    for (const each of ['approve', 'reject', 'resume', 'cancel', 'later', 'started', 'again', 'release'])
      expect(await did(`/runs/${waiting}?did=${each}`)).toBeUndefined();
    for (const each of ['pause', 'resume-schedule', 'trigger-later'])
      expect(await did(`/schedules?did=${each}`)).toBeUndefined();
  });

  it("sends no other machine a link to Temporal's Web UI on this one", async () => {
    const { state } = rehearsal.config.temporal;
    await mkdir(state, { recursive: true });
    await writeUp(state, { ui: 'http://127.88.3.9:23111' });
    expect((await open(`/runs/${waiting}`)).html).not.toContain('/namespaces/');
    const view = await (await fetch(`${server.url}/api/v1/runs/${waiting}/view`)).text();
    expect(view).toContain(waiting);
    expect(view).not.toContain('/namespaces/');
    await removeUp(state);
  });

  it('says of a snapshot that it was imported, and that it is dated in the future', () => {
    const snapshot = {
      id: 'backup-a',
      route: 'free',
      kind: 'backup',
      takenAt: '2026-11-20T00:00:00Z',
      items: 3,
      requested: 3,
      complete: true,
      good: true,
      tags: [],
      problems: [],
      source: { portal: 'north' },
      importedAt: '2026-11-21T00:00:00Z',
      ahead: true,
    } as unknown as SnapshotView;
    const page = { route: 'free', snapshots: [snapshot], runs: [], portals: [], isConfigured: false };
    const root = parse(renderPage(h(Fragment, null, h(RoutePage, page))));
    expect(root.querySelector('#snapshots')?.text).toContain('good, imported, clock ahead');
  });

  it('says that nothing needs attention if nothing does, and how well routes are backed up', async () => {
    expect((await open('/backups')).text).toMatch(/free(just now|\d+ min ago).*Not backed up yet: asks$/);
    const status: StatusView = {
      temporal: { address: 'here', answers: true },
      workers: ['w'],
      running: [],
      waiting: [],
      parked: [],
      overdue: [],
      unapplied: [],
      notes: [],
      failed: [],
      unproven: [],
      rules: [],
      frozen: [],
      paused: [],
      backedUp: { routes: 14, oldestAt: new Date(Date.now() - 6 * 3_600_000).toISOString() },
      next: [
        {
          schedule: 'nightly',
          kind: 'sync',
          at: new Date(Date.now() + 3 * 3_600_000 + 60_000).toISOString(),
        },
      ],
    };
    const visit = {
      path: '/',
      mayLeave: false,
      assets: { style: '', script: '', mark: '' },
      now: Date.now(),
    };
    const html = renderPage(
      h(Fragment, null, h(Shell, { visit, title: 'Now' }, h(NowPage, { status, open: [] }))),
    );
    expect(parse(html).querySelector('main')?.text).toBe(
      'NowNothing needs attention. 14 routes backed up, oldest 6 h ago. Next: nightly in 3 h.',
    );
  });
});

describe('where something is away, a page', () => {
  it('says that Temporal does not answer, and shows what the store recorded', async () => {
    const config = loadConfig(`${rehearsal.folder}/portolan.yaml`);
    const temporal = { ...config.temporal, address: '127.0.0.1:1' };
    await elsewhere({ ...config, temporal }, async () => {
      expect((await open('/')).text).toMatch(/cannot reach Temporal ?127\.0\.0\.1:1/);
      expect((await open('/runs')).text).toMatch(
        /Note: cannot reach Temporal; showing the records in the store.*succeeded/,
      );
      expect((await open(`/runs/${runId}`)).text).toContain('showing the last recorded state');
      expect((await open('/schedules')).text).toContain('Configured in portolan.yaml: nightly');
      expect((await open('/audit')).text).toContain('start');
      expect(await open(`/runs/${runId}/events`)).toMatchObject({ status: 503 });
    });
  });

  it('says that no worker is up', async () => {
    const config = loadConfig(`${rehearsal.folder}/portolan.yaml`);
    const temporal = { ...config.temporal, taskQueue: 'of-nobody' };
    await elsewhere({ ...config, temporal }, async () => {
      expect((await open('/')).text).toContain('no worker is running');
    });
  });
});

/** Sends a form as a browser does that was shown it here. */
const send = async (
  where: string,
  fields: Record<string, string> = {},
  headers: Record<string, string> = { origin: new URL(server.url).origin },
): Promise<Shown & { readonly to: string }> => {
  const { _csrf: token = '' } = hidden((await open('/runs')).root, '/syncs');
  const answer = await fetch(`${server.url}${where}`, {
    method: 'POST',
    redirect: 'manual',
    headers: { accept: 'text/html', ...headers },
    body: new URLSearchParams({ _csrf: token, ...fields }),
  });
  const html = await answer.text();
  const root = parse(html);
  const text = (root.querySelector('main')?.text ?? '').replace(/\s+/g, ' ').trim();
  return {
    status: answer.status,
    html,
    root,
    text,
    headers: answer.headers,
    to: answer.headers.get('location') ?? '',
  };
};

/** What a form of a page sends besides what is typed. */
const hidden = (root: HTMLElement, action: string): Record<string, string> =>
  Object.fromEntries(
    root
      .querySelectorAll(`form[action="${action}"] input[type=hidden]`)
      .map((each) => [each.getAttribute('name') ?? '', each.getAttribute('value') ?? '']),
  );

describe('a form', () => {
  it('restores one version of an item, three clicks from anywhere: items, the item, its version', async () => {
    const list = await open('/');
    expect(list.root.querySelector('nav a[href="/items"]')).not.toBeNull();
    const link = (await open('/items')).root.querySelector('#list a')?.getAttribute('href') ?? '';
    const { root } = await open(link);
    const form = root.querySelector('#version-1 form');
    const at = form?.getAttribute('action') ?? '';
    expect(form?.querySelector('button')?.text).toBe('Restore version 1');
    expect(root.querySelector('#version-1 code')?.text).toMatch(/^portolan item restore \S+ --at backup-/);
    const started = await send(at, hidden(root, at));
    expect(started).toMatchObject({ status: 303, to: expect.stringMatching(/^\/runs\/restore-/) });
    const wrong = await send(at, { ...hidden(root, at), at: 'nowhere', requestId: 'another' });
    expect(wrong).toMatchObject({ status: 404, text: expect.stringContaining('SNAPSHOT_NOT_FOUND') });
    await world
      .typed('run', 'reject', started.to.replace(/^.*\/|\?.*/g, ''), '--reason', 'a test')
      .catch(() => undefined);
  });

  it('starts a run once however often it is sent, and approves exactly the plan that was shown, for whoever types the name of the portal that it overwrites [P02][P25]', async () => {
    const { root } = await open('/runs');
    world.rehearsal.editSource();
    const fields = { ...hidden(root, '/syncs'), route: 'asks', reason: 'by the page' };
    const first = await send('/syncs', fields);
    expect([first.status, first.to]).toEqual([
      303,
      expect.stringMatching(/^\/runs\/sync-asks-.*\?did=started\./),
    ]);
    const at = first.to.replace(/\?.*/, '');
    const again = await send('/syncs', fields);
    expect(again.to.startsWith(`${at}?did=again.`)).toBe(true);
    expect((await open(again.to)).root.querySelector('#done')?.text).toMatch(/^Already started/);
    // The mark of one deed is good neither for another one nor for another page.
    for (const elsewhere of [
      first.to.replace('started', 'approve'),
      first.to.replace(at, `/runs/${waiting}`),
    ])
      expect((await open(elsewhere)).root.querySelector('#done')).toBeNull();
    const run = at.replace('/runs/', '');
    const handle = rehearsal.temporal.client.workflow.getHandle(run);
    const { plan } = await rehearsal.waiting(handle);
    const shown = await open(first.to);
    expect(shown.root.querySelector('#done')?.text).toBe('Started.');
    const approval = hidden(shown.root, `${at}/approve`);
    expect(approval).toEqual({ plan: plan?.hash, _csrf: expect.any(String) });

    const unnamed = await send(`${at}/approve`, { ...approval, portal: 'north' });
    expect(unnamed.status).toBe(400);
    expect(unnamed.root.querySelector('#problem')?.text).toMatch(
      /overwrite \d+ items \(\d+ change\) on south\. You typed "north"\..*Nothing was approved/,
    );
    const stale = await send(`${at}/approve`, { plan: '0000-0000-0000', portal: 'south' });
    expect([stale.status, stale.root.querySelector('#problem')?.text]).toEqual([
      400,
      expect.stringContaining('not 0000-0000-0000'),
    ]);
    expect(stale.root.querySelector('#plan h2 code')?.text).toBe(plan?.hash);
    expect((await rehearsal.state(handle)).status).toBe('waiting');

    const approved = await send(`${at}/approve`, { ...approval, portal: 'south', reason: 'looked at' });
    expect([approved.status, approved.to]).toEqual([303, expect.stringContaining(`${at}?did=approve.`)]);
    const { record } = await rehearsal.ended(handle);
    expect(record).toMatchObject({ status: 'succeeded', target: 'changed' });
    expect(record.actions).toEqual([
      expect.objectContaining({ what: 'start', reason: 'by the page' }),
      expect.objectContaining({ what: 'approve', reason: 'looked at' }),
    ]);
    expect((await open('/audit')).text).toContain('looked at');
  });

  it('rejects a plan with a reason, and none without', async () => {
    const at = `/runs/${waiting}`;
    const { plan = '' } = hidden((await open(at)).root, `${at}/reject`);
    expect(await send(`${at}/reject`, { plan, reason: ' ' })).toMatchObject({ status: 400 });
    expect(await send(`${at}/reject`, { plan, reason: 'not today' })).toMatchObject({ status: 303 });
    const { record } = await rehearsal.ended(rehearsal.temporal.client.workflow.getHandle(waiting));
    expect(record).toMatchObject({ status: 'cancelled', error: { code: 'REJECTED' } });
    const { text } = await open(at);
    expect(text).toContain('The target is unchanged.');
    expect(await send(`${at}/cancel`)).toMatchObject({
      status: 400,
      text: expect.stringContaining('has ended; it accepts no decisions'),
    });
  });

  it('pauses a schedule, lets it go on, makes a release, promotes it, and restores a snapshot, each by its plan', async () => {
    expect(await send('/schedules/nightly/resume')).toMatchObject({
      status: 303,
      to: expect.stringContaining('/schedules?did=resume-schedule.'),
    });
    expect((await open('/schedules')).text).toMatch(/nightly.*state ?on/);
    expect(await send('/schedules/nightly/pause', { reason: '' })).toMatchObject({ status: 400 });
    expect(await send('/schedules/nightly/pause', { reason: 'holidays' })).toMatchObject({ status: 303 });
    expect((await open('/schedules')).text).toMatch(/nightly.*state ?paused.*holidays/);

    const { root } = await open('/pipelines/transport');
    const into = '/pipelines/transport/live/promote';
    const promoted = await send(into, hidden(root, into));
    expect(promoted.to).toMatch(/^\/runs\/promotion-transport-.*did=started\./);
    const run = promoted.to.replace(/^\/runs\/|\?.*/g, '');
    await rehearsal.ended(rehearsal.temporal.client.workflow.getHandle(run));
    const { text, html } = await open(`/runs/${run}`);
    expect(text).toMatch(/The target is unchanged.*What went wrong.*5 items are blocked on the stage/);
    expect(html).not.toMatch(/[\u202A-\u202E\u2066-\u2069]/);

    const backups = await open('/backups/free');
    const [snapshot = ''] = backups.root
      .querySelectorAll('select[name=snapshot] option')
      .map((each) => each.getAttribute('value') ?? '');
    const restored = await send('/backups/free/restore', { snapshot, to: 'south', into: emptyGroupId });
    expect(restored.to).toMatch(/^\/runs\/restore-free-.*did=started\./);
    const refused = await send('/backups/free/restore', { snapshot, to: 'nowhere', into: emptyGroupId });
    expect([refused.status, refused.text]).toEqual([404, expect.stringContaining('PORTAL_NOT_FOUND')]);
  });

  it('that is refused is shown again with what was typed into it, and sent again it is the same start', async () => {
    const { root } = await open('/backups/free');
    const at = '/backups/free/restore';
    const typed = { to: 'nowhere', into: hostile.markup, overwrite: 'yes', reason: hostile.markup };
    const [snapshot = ''] = root
      .querySelectorAll('select[name=snapshot] option')
      .map((each) => each.getAttribute('value') ?? '')
      .reverse();
    const { requestId } = hidden(root, at);
    const refused = await send(at, { ...hidden(root, at), ...typed, snapshot });
    expect(refused.status).toBe(404);
    expect(refused.root.querySelector('h1')?.text).toBe('Backups of free');
    expect(refused.root.querySelector('#problem')?.text).toContain('PORTAL_NOT_FOUND');
    expect(inlined(refused.root)).toEqual([]);
    const again = refused.root.querySelector(`form[action="${at}"]`);
    const shown = (name: string) => again?.querySelector(`input[name=${name}]`)?.attributes ?? {};
    expect([shown('requestId'), shown('into'), shown('reason')].map(({ value }) => value)).toEqual([
      requestId,
      hostile.markup,
      hostile.markup,
    ]);
    expect(shown('overwrite')).toHaveProperty('checked');
    expect(again?.querySelectorAll('option[selected]').map((each) => each.getAttribute('value'))).toEqual([
      snapshot,
    ]);
    // What stands beside it is as it was.
    const other = refused.root.querySelector('form[action="/backups/free/create"]');
    expect(other?.querySelector('input[name=reason]')?.attributes).not.toHaveProperty('value');
    expect(refused.root.querySelector('main')?.attributes).not.toHaveProperty('data-live');
  });

  it('of a run that is parked tries it again by its button, and ends it', async () => {
    rehearsal.target.faults.add({
      match: { operation: 'group.import', params: { previewOnly: 'false' } },
      do: { error: { code: 403, message: 'You do not have permissions to perform this operation.' } },
    });
    world.rehearsal.editSource();
    const { runId: run } = (await world.typed('sync', 'asks', '--full', '--yes')) as { runId: string };
    const handle = rehearsal.temporal.client.workflow.getHandle(run);
    const { root, text } = await open(`/runs/${run}`);
    expect(text).toMatch(
      /Parked in \w+\. Without a decision, it cleans up and fails in \d.*PERMISSION_DENIED/,
    );
    expect(root.querySelectorAll('#ways code').map((each) => each.text)).toContain(
      `portolan run resume ${shortRunId(run)}`,
    );
    expect((await open('/')).root.querySelector('#parked a.button')?.attributes.href).toBe(`/runs/${run}`);
    rehearsal.target.faults.clear();
    const at = `/runs/${run}`;
    const wrong = await send(`${at}/resume`, { set: 'nothing=1', reason: 'the role is back' });
    const kept = wrong.root.querySelectorAll(`form[action="${at}/resume"] input[type=text]`);
    expect([wrong.status, ...kept.map((each) => each.getAttribute('value'))]).toEqual([
      400,
      'nothing=1',
      'the role is back',
    ]);
    expect(await send(`${at}/resume`, { set: '', reason: 'the role is back' })).toMatchObject({
      status: 303,
      to: expect.stringContaining(`${at}?did=resume.`),
    });
    const { record } = await rehearsal.over(handle);
    expect(record).toMatchObject({ status: 'succeeded' });
    expect(record.actions).toContainEqual(
      expect.objectContaining({ what: 'resume', reason: 'the role is back' }),
    );
  });

  it('has its button for whoever may do it with runs of that route or pipeline, and for nobody else', () => {
    const caller: Caller = {
      who: 'somebody',
      identity: 'key',
      rights: ['view', 'approve'],
      routes: ['roads'],
      pipelines: ['transport'],
    };
    const visit = { caller, path: '/', mayLeave: false, now: 0, assets: { style: '', script: '', mark: '' } };
    const mayApprove = (kind: string, name: string) => mayDo(visit, 'approve', { kind, route: { name } });
    expect(mayApprove('sync', 'roads')).toBe(true);
    expect(mayApprove('promotion', 'transport')).toBe(true);
    expect(mayApprove('sync', 'transport')).toBe(false);
    expect(mayApprove('promotion', 'roads')).toBe(false);
    expect(mayDo(visit, 'operate', { kind: 'sync', route: { name: 'roads' } })).toBe(false);
    expect(mayDo({ ...visit, caller: undefined }, 'view')).toBe(false);
  });

  it('is taken from pages of this server alone, and of those who may do what it asks [P25]', async () => {
    const sync = { route: 'free' };
    const own = { origin: new URL(server.url).origin };
    const elsewhereAsked: Record<string, string>[] = [
      {},
      { origin: 'https://evil.example.com' },
      { origin: 'null' },
      { ...own, 'sec-fetch-site': 'cross-site' },
    ];
    for (const headers of elsewhereAsked)
      expect([headers, (await send('/syncs', sync, headers)).status]).toEqual([
        headers,
        headers.origin === undefined ? 415 : 403,
      ]);
    expect((await send('/syncs', { ...sync, _csrf: 'guessed' })).text).toContain('CROSS_SITE');
    const config = loadConfig(`${rehearsal.folder}/portolan.yaml`);
    const looks = { name: 'wall', sha256: hashOfKey(key), rights: ['view'] as const };
    const otherKey = 'planted-key-of-an-approver';
    const other = {
      name: 'other',
      sha256: hashOfKey(otherKey),
      rights: ['approve'] as const,
      routes: ['free'],
    };
    const keys = new Map([looks, other].map((each) => [each.name, each]));
    const serve = { ...config.serve, open: false, keys };
    await elsewhere({ ...config, serve }, async () => {
      expect(await open('/runs')).toMatchObject({
        status: 401,
        text: expect.stringContaining('Not signed in'),
      });
      // Nor does what they send show them anything of a run.
      for (const deed of ['approve', 'reject', 'resume', 'cancel']) {
        const answer = await fetch(`${server.url}/runs/latest/${deed}`, {
          method: 'POST',
          headers: { ...own, 'content-type': 'application/x-www-form-urlencoded' },
          body: 'reason=x',
        });
        const told = await answer.text();
        expect([deed, answer.status, told.includes(shortRunId(waiting))]).toEqual([deed, 401, false]);
      }
      const headers = { authorization: `Bearer ${key}` };
      const page = parse(await (await fetch(`${server.url}/runs`, { headers })).text());
      expect(page.querySelectorAll('form[method=post] button[type=submit]')).toEqual([]);
      expect(page.querySelector('#start')?.text).toContain('You need the start right.');
      const refused = await send('/syncs', sync, headers);
      expect([refused.status, refused.text]).toEqual([403, expect.stringContaining('RIGHT_MISSING')]);
      const byOther = { authorization: `Bearer ${otherKey}` };
      const approved = await send(`/runs/${waiting}/approve`, { plan: '0000-0000-0000' }, byOther);
      expect([approved.status, approved.text]).toEqual([403, expect.stringContaining('RIGHT_MISSING')]);
    });
  });
});

describe('what needs attention', () => {
  it('is named with a link: failed runs, freezes, unproven backups, and no planned pause', async () => {
    await world.typed('freeze', 'south', '--reason', 'an audit');
    const attention = async () => (await open('/')).root.querySelector('#attention');
    const rows = async () =>
      ((await attention())?.querySelectorAll('tr') ?? []).map((each) => [
        each
          .querySelectorAll('td')
          .map(({ text }) => text)
          .slice(0, 2),
        each.querySelector('a')?.getAttribute('href'),
      ]);
    const failed = 'failed or partial in the last 24 hours';
    const named = await until('failed runs', rows, (all) => all.flat(2).includes(failed));
    expect(named).toEqual(
      expect.arrayContaining([
        [[failed, expect.stringMatching(/^promotion-/)], expect.stringMatching(/^\/runs\/promotion-/)],
        [['never proven', 'free'], '/backups/free'],
        [['frozen', 'south'], '/audit'],
      ]),
    );
    expect(named.join()).not.toContain('nightly');
    const { status, stdout } = await inProcess(['status'], { cwd: rehearsal.folder });
    expect([status, stdout]).toEqual([3, expect.stringMatching(/^frozen +south +by /m)]);
    await world.typed('unfreeze', 'south');
    expect((await attention())?.text).not.toContain('south');
  });
});

describe('the page of a child run', () => {
  it('names the run it belongs to', async () => {
    const linkOn = async (page: string, start: string): Promise<string> =>
      (await open(page)).root.querySelector(`a[href^="${start}"]`)?.getAttribute('href') ?? '';
    const parent = await until('a failed promotion', () => linkOn('/', '/runs/promotion-'), Boolean);
    const child = await linkOn(parent, '/runs/restore-');
    const head = (await open(child)).root.querySelector('#head');
    expect(head?.text).toContain(`parent${parent.replace('/runs/', '')}`);
  });
});

describe('in a browser, a page', () => {
  it('shows what happens meanwhile without being loaded again, keeps what somebody is typing, and is worked by keys alone', async () => {
    await browsing(browser, server, { width: 1280, scheme: 'light' }, async ({ page }) => {
      await page.goto(`${server.url}/runs`);
      const why = page.locator('#start input[name=reason]');
      await why.fill('half a sen');
      expect(await page.locator('#start .command code').textContent()).toMatch(/ --reason 'half a sen'$/);
      // A list that is set and left is kept as well, though its form looks unused.
      await page.locator('#start select').selectOption('asks');
      await why.fill('');
      await page.locator('#start').evaluate('document.activeElement.blur()');
      world.rehearsal.editSource();
      const { runId: run } = (await world.typed('sync', 'asks', '--full', '--no-wait')) as { runId: string };
      await page.locator(`#list a[href="/runs/${run}"]`).waitFor();
      expect(await page.locator('#start select').inputValue()).toBe('asks');
      expect(await page.locator('#start .command code').textContent()).toBe('portolan sync asks');

      await page.goto(`${server.url}/runs/${run}`);
      await page.locator('#decision').waitFor();
      const focused = (): Promise<unknown> => page.evaluate('document.activeElement.name');
      for (let tabs = 0; tabs < 40 && (await focused()) !== 'portal'; tabs += 1)
        await page.keyboard.press('Tab');
      await page.keyboard.type('south');
      await page.keyboard.press('Enter');
      // A busy worker takes it later than the page waits.
      await page.waitForURL(/did=(approve|later)/);
      await until(
        'its end',
        () => page.locator('#head .mark').textContent(),
        (mark) => mark === 'succeeded',
      );
      expect(await page.locator('#decision').count()).toBe(0);
      expect(await page.locator('#ledger').textContent()).toContain('imported');
    });
  });

  it('opens what changes inside an item by keys, and never keeps it open under another plan', async () => {
    rehearsal.editSource();
    const { runId: run } = (await world.typed('sync', 'asks', '--full', '--no-wait')) as { runId: string };
    await rehearsal.waiting(rehearsal.temporal.client.workflow.getHandle(run));
    await browsing(browser, server, { width: 360, scheme: 'light' }, async ({ page }) => {
      await page.goto(`${server.url}/runs/${run}`);
      const row = page.locator('#plan-rows details').first();
      await row.locator('summary').focus();
      await page.keyboard.press('Enter');
      await row.locator('ins, del').first().waitFor({ state: 'visible' });
      expect(await violations(page)).toEqual([]);
      await page.evaluate("document.querySelector('#plan h2').textContent = 'old'; look()");
      await page.locator('#changed').waitFor({ state: 'visible' });
      expect(await row.getAttribute('open')).not.toBeNull();
      await page.evaluate("document.querySelector('#plan').dataset.about = 'another'; look()");
      await until(
        'the plan',
        () => page.locator('#plan h2').textContent(),
        (title) => title !== 'old',
      );
      expect(await row.getAttribute('open')).toBeNull();
    });
    await world.typed('run', 'reject', run, '--reason', 'a test').catch(() => undefined);
  });

  it('moves the rate, time left and elapsed times of a run while it downloads', async () => {
    const image = { id: 'd'.repeat(32), type: 'Image', name: 'mosaic.tif', title: 'Mosaic' };
    new SeedBuilder(rehearsal.source.world).generated({ ...image, groups: [manyGroupId] }, 9_000_000);
    rehearsal.source.faults.add({ match: { operation: 'item.data' }, do: { slow: 1_000_000 } });
    await browsing(browser, server, { width: 1280, scheme: 'light' }, async ({ page }) => {
      world.rehearsal.editSource();
      const { runId: run } = (await world.typed('sync', 'free', '--full', '--no-wait')) as { runId: string };
      await page.goto(`${server.url}/runs/${run}`);
      const text = (part: string) => () => page.locator(part).textContent();
      await until('its rate', text('#phases .running .detail'), (seen) => /B\/s, .* left/.test(seen ?? ''));
      await page.goto(server.url);
      const elapsed = text(`#running .card:has(a[href="/runs/${run}"]) [data-since]`);
      const before = await elapsed();
      await until('a later time', elapsed, (seen) => seen !== before);
      for (const ms of [0, 41_234, 59_960, 151_000, 3_720_000, 273_600_000])
        expect(await page.evaluate(`durationWords(${ms})`)).toBe(durationWords(ms));
      rehearsal.source.faults.clear();
      await rehearsal.ended(rehearsal.temporal.client.workflow.getHandle(run));
    });
  });
});

/** Does something with the pages of another server. */
async function elsewhere(config: Config, work: () => Promise<void>): Promise<void> {
  const usual = server;
  server = await startServer(config, pino({ level: 'silent' }));
  try {
    await work();
  } finally {
    await server.close();
    server = usual;
  }
}

/** Lets the plan that a run waits with have so many rows. */
async function manyRows(run: string, count: number): Promise<void> {
  const { store } = rehearsal;
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
