import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { stringify } from 'yaml';
import { SeedBuilder } from '../../src/simulator/seed/build';
import { emptyGroupId, manyGroupId } from '../../src/simulator/seed/seeds';
import { type Simulator, startSimulator } from '../../src/simulator/simulator';
import { startBrowser } from '../support/browser';
import { Portolan, portolan } from '../support/child';
import { freeServerPort } from '../support/free-port';
import { Person } from './a-person';

/** A second group of the target, of another route. */
const besideGroupId = 'e0000000000000000000000000000088';
const failing = `c${'2'.padStart(31, '0')}`;
const app = 'portolan-app';

let folder: string;
let up: Portolan | undefined;
let url: string;
let browser: Browser;
let north: Simulator;
let south: Simulator;
let west: Simulator;
let anna: Person;
let ben: Person;

beforeAll(async () => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'portolan-story-'));
  const portal = (name: string, seed: string) =>
    startSimulator({
      name,
      seed,
      seedItems: 4,
      version: '11.4',
      jobPolls: 0,
      commitLagMs: 0,
      searchLagMs: 0,
      state: path.join(folder, name),
    });
  [north, south, west, browser] = await Promise.all([
    portal('north', 'many'),
    portal('south', 'empty'),
    portal('west', 'empty'),
    startBrowser(),
  ]);
  new SeedBuilder(south.world).group(besideGroupId, 'Beside');
  for (const name of ['anna', 'ben']) {
    const role = 'org_publisher' as const;
    const passwordHash = north.world.hash(`${name}-pw`);
    const person = { username: name, fullName: name, role, privileges: [], passwordHash, created: 0 };
    north.world.users.put(name, person);
  }
  writeFileSync(path.join(folder, 'secret'), 'admin-pw', { mode: 0o600 });
  const auth = { type: 'password', username: 'admin', password: { file: 'secret' } };
  const policy = { twoPeople: true };
  const from = { portal: 'north', group: manyGroupId };
  const config = {
    temporal: { address: `127.0.0.1:${await freeServerPort()}` },
    serve: {
      address: '127.0.0.1:0',
      signIn: {
        portal: 'north',
        appId: app,
        people: [{ users: ['anna', 'ben'], rights: ['start', 'approve', 'operate'] }],
      },
    },
    portals: {
      north: { url: north.url, auth },
      south: { url: south.url, auth, policy },
      west: { url: west.url, auth, policy },
    },
    routes: {
      beside: { source: from, target: { portal: 'south', group: besideGroupId }, overwrite: true },
      roads: { source: from, target: { portal: 'south', group: emptyGroupId }, overwrite: true },
    },
    schedules: { nightly: { kind: 'backup', route: 'roads', cron: '30 22 * * *' } },
    pipelines: {
      transport: {
        groups: ['roads'],
        stages: {
          dev: { portal: 'north', groups: { roads: manyGroupId } },
          live: { portal: 'west', groups: { roads: emptyGroupId } },
        },
      },
    },
  };
  writeFileSync(path.join(folder, 'portolan.yaml'), stringify(config));
});
afterAll(async () => {
  await browser?.close();
  up?.child.kill('SIGTERM');
  await up?.ended;
  await Promise.all([north, south, west].map((each) => each?.close()));
  rmSync(folder, { recursive: true, force: true });
});

let edits = 0;
/** Somebody edits what the group holds, so that there is something to bring. */
function edit() {
  for (const { id } of north.world.items.filter(({ groups }) => groups.includes(manyGroupId)))
    north.world.items.change(id, { snippet: `edit ${++edits}`, modified: north.world.now() });
}

/** By the links above every page. */
async function goes(who: Person, room: string) {
  // It may be there already.
  const loaded = who.page.waitForEvent('load');
  await who.takes(`header nav a[href="${room}"]`);
  await loaded;
  await who.comesTo(new RegExp(`^${room}$`));
}

/** By a link of the page. */
async function follows(who: Person, where: string) {
  await who.takes(`main a[href="${where}"]`);
  await who.comesTo(new RegExp(`^${where}$`));
}

/** Sees that the run of the page succeeds. */
const succeeds = (who: Person) => who.staysAndSees('#head .mark', /^succeeded$/);

/** Starts a sync with the form of the page of runs; the route is chosen by an arrow. */
async function starts(who: Person, why: string) {
  await goes(who, '/runs');
  await who.tabsTo('#start select[name=route]');
  await who.page.keyboard.press('ArrowDown');
  await who.sends('#start input[name=reason]', why);
  const run = await who.comesTo(/^\/runs\/sync-.*\?did=started\./);
  expect(run).toContain('-roads-');
  return run;
}

/** Sees on Now, which is open, that somebody is asked, and goes there. */
async function isAsked(who: Person, run: string) {
  await goes(who, '/');
  await who.staysAndSees('#waiting', /Waiting for approval \(1\)/);
  await who.takes(`#waiting a.button[href="${run}"]`);
  await who.comesTo(new RegExp(`^${run}$`));
}

/** Says yes to the plan that is shown. */
async function approves(who: Person, run: string, why: string) {
  await isAsked(who, run);
  const asked = (await who.page.locator('#decision').textContent()) ?? '';
  const [, portal] = /on (\w+)\. Type the portal name to confirm/.exec(asked) ?? [];
  if (portal !== undefined) await who.types('#decision input[name=portal]', portal);
  await who.sends('#decision form[action$="/approve"] input[name=reason]', why);
  await who.comesTo(/\?did=approve\./);
  await who.sees('#done', /Approved\./);
}

it('two people do everything in the web UI by keys alone', async () => {
  up = new Portolan(['up'], { cwd: folder });
  await up.says('ready');
  [, url = ''] = /^page +(http:\S+)$/m.exec(up.stderr) ?? [];
  north.settings.apps = { [app]: [`${url}/sign-in/callback`] };
  expect(await portolan(['schedule', 'apply', '--yes'], { cwd: folder })).toMatchObject({ status: 0 });
  [anna, ben] = [await Person.at(browser, url, 'anna'), await Person.at(browser, url, 'ben')];

  // Both are led to the portal, and back to where they were.
  await anna.signsIn('/');
  await anna.sees('.who', /anna@north/);
  await anna.sees('#well', /Nothing needs attention/);
  await anna.looks();
  await ben.signsIn('/runs');
  await ben.looks();

  // Who started it is no second person; the words are kept.
  const first = await starts(ben, 'Road closures for winter');
  await ben.sees('#done', /Started\./);
  await ben.staysAndSees('#decision', /What you approve/);
  await ben.looks();
  await ben.sends('#decision form[action$="/approve"] input[name=reason]', 'by myself');
  await ben.sees(
    '#problem',
    /ben@north started the run, and the policy of its target requires a second approver/,
  );
  await ben.looks();
  await ben.tabsTo('#decision form[action$="/approve"] input[name=reason]');
  expect(await ben.page.evaluate('document.activeElement.value')).toBe('by myself');
  await isAsked(anna, first);
  await anna.looks();
  await approves(anna, first, 'seen with the team');
  await succeeds(anna);
  await anna.sees('#ledger', /imported/);
  await anna.looks();

  // Rejected with a reason, and nothing is written.
  edit();
  const second = await starts(ben, 'once more');
  await isAsked(anna, second);
  await anna.tabsTo('#decision form[action$="/reject"] button');
  await anna.tabsTo('#decision form[action$="/reject"] input[name=reason]', 'Shift+Tab');
  await anna.page.keyboard.type('not before the weekend');
  await anna.page.keyboard.press('Enter');
  await anna.comesTo(/\?did=reject\./);
  await anna.sees('#head', /cancelled.*The target is unchanged/);
  await anna.looks();

  // Parked, and taken up again.
  south.faults.add({
    match: { operation: 'group.import', params: { previewOnly: 'false' } },
    times: 1,
    do: { error: { code: 403, message: 'You do not have permissions to perform this operation.' } },
  });
  const third = await starts(ben, 'the weekend is over');
  await approves(anna, third, 'yes');
  await anna.staysAndSees('#why', /PERMISSION_DENIED/);
  await anna.looks();
  await goes(anna, '/');
  await anna.sees('#parked', /Parked \(1\)/);
  await anna.looks();
  await anna.takes('#parked a.button');
  await anna.comesTo(new RegExp(`^${third}$`));
  await anna.sends('#ways form[action$="/resume"] input[name=reason]', 'the role is back');
  await anna.comesTo(/\?did=resume\./);
  await succeeds(anna);

  // Items that failed are tried again.
  edit();
  south.settings.failImport = [failing];
  const fourth = await starts(ben, 'what was edited');
  await approves(anna, fourth, 'yes');
  await anna.staysAndSees('#head .mark', /^(partial|failed)$/);
  await anna.looks();
  south.settings.failImport = [];
  await anna.sends('#next form[action$="/retry"] input[name=reason]', 'the disk is mended');
  const retried = await anna.comesTo(/^\/runs\/sync-.*\?did=started\./);
  await approves(ben, retried, 'yes');
  await succeeds(ben);

  // Nobody's night is disturbed.
  await goes(anna, '/schedules');
  await anna.looks();
  await anna.sends('#schedule-nightly form[action$="/pause"] input[name=reason]', 'an upgrade');
  await anna.comesTo(/\?did=pause\./);
  await anna.sees('#schedule-nightly', /paused.*an upgrade/);

  // One run holds the slot while its job runs; its slot is freed for the run that waits.
  edit();
  const { finalStatus } = north.settings;
  north.settings.finalStatus = { ...finalStatus, export: 'pondering' };
  await goes(ben, '/backups');
  await ben.looks();
  await follows(ben, '/backups/roads');
  await ben.looks();
  await ben.takes('#backup input[name=full]', 'Space');
  await ben.sends('#backup input[name=reason]', 'before the upgrade');
  const holder = await ben.comesTo(/^\/runs\/backup-.*\?did=started\./);
  await ben.staysAndSees('#head', /now in wait-export/);
  await ben.looks();
  await starts(anna, 'behind it');
  await anna.staysAndSees('#queue', /Exporting from north/);
  await anna.looks();
  await goes(ben, '/');
  await ben.sees('#running', /Running \(2\).*last run took \d/);
  await ben.looks();
  await anna.takes('#queue summary', 'Space');
  await anna.sends('#queue input[name=reason]', 'its job hangs');
  expect(await anna.comesTo(/\?did=release\./)).toBe(holder);
  await anna.sees('#done', /Slot freed/);
  north.settings.finalStatus = finalStatus;
  await succeeds(anna);
  await ben.staysAndSees('#waiting', /Waiting for approval \(1\)/);
  await ben.takes('#waiting a.button');
  await ben.comesTo(/^\/runs\/sync-/);
  await ben.types('#decision input[name=portal]', 'south');
  await ben.page.keyboard.press('Enter');
  await ben.comesTo(/\?did=approve\./);
  await succeeds(ben);
  await goes(ben, '/');
  await ben.sees('#attention', /failed or partial in the last 24 hours/);

  // A release comes to the next stage by the other one's yes, and is taken back.
  await goes(anna, '/pipelines');
  await anna.looks();
  await follows(anna, '/pipelines/transport');
  await anna.sends('#stage-dev input[name=reason]', 'winter');
  await anna.comesTo(/^\/runs\/release-.*\?did=started\./);
  await succeeds(anna);
  await anna.looks();
  await goes(anna, '/pipelines');
  await follows(anna, '/pipelines/transport');
  await anna.looks();
  await anna.sends('#stage-live form[action$="/promote"] input[name=reason]', 'to everybody');
  const promoted = await anna.comesTo(/^\/runs\/promotion-.*\?did=started\./);
  await anna.staysAndSees('#decision', /What you approve/);
  await anna.looks();
  await approves(ben, promoted, 'yes');
  await succeeds(anna);
  await anna.looks();
  await goes(ben, '/pipelines');
  await follows(ben, '/pipelines/transport');
  await ben.sends('#stage-live form[action$="/rollback"] input[name=reason]', 'an app is broken');
  const back = await ben.comesTo(/^\/runs\/promotion-.*\?did=started\./);
  await ben.sees('#head .mark', /^(waiting|succeeded)$/);
  if (/waiting/.test(await ben.sees('#head .mark', /./))) await approves(anna, back, 'yes');
  await succeeds(ben);
  await ben.looks();

  // Who did what is there, and whoever leaves has to sign in again.
  for (const room of ['/backups', '/audit']) {
    await goes(anna, room);
    await anna.looks();
  }
  await anna.sees('main', /not before the weekend.*anna@north|anna@north.*not before the weekend/);
  await anna.takes('.who button');
  await anna.comesTo(/^\/sign-out$/);
  await anna.sees('h1', /Signed out/);
  await anna.looks();
  await anna.opens('/');
  expect(anna.page.url()).toContain('/oauth2/authorize');

  for (const who of [anna, ben]) {
    expect(who.wrongs).toEqual([]);
    await who.close();
  }
});
