import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import OpenAPIClientAxios, { type OpenAPIClient } from 'openapi-client-axios';
import type { RunRecord } from '../../src/model/run/run';
import { rights } from '../../src/model/rights';
import { scheduleId } from '../../src/model/run/run-id';
import { findSchedule } from '../../src/service/schedule/server-schedules';
import { May } from '../../src/service/may';
import { whoTypes } from '../../src/service/run/who';
import { triggerSchedule } from '../../src/service/schedule/trigger-schedule';
import { auditPage } from '../../src/service/status/audit';
import { hashOfKey } from '../../src/serve/access';
import type { RunningServer } from '../../src/serve/server';
import { readLastSuccesses } from '../../src/service/metrics/last-successes';
import { emptyGroupId, manyGroupId } from '../../src/simulator/seed/seeds';
import { inProcess } from '../support/in-process';
import type { Rehearsal } from '../support/rehearsal';
import { openServedSite, type ServedSite } from '../support/served-site';
import { until } from '../support/until';

const rightsOf = {
  viewer: { rights: ['view'] },
  starter: { rights: ['start'] },
  operator: { rights: ['operate'] },
  approver: { rights: ['approve'] },
  both: { rights: ['start', 'approve'] },
  limited: { rights: ['operate'], routes: ['free'] },
  ci: { rights: ['start', 'approve'], routes: ['free'], pipelines: [] },
  keeper: { rights: ['operate'], routes: ['free'], pipelines: [] },
} as const;
type Key = keyof typeof rightsOf;
const mayAll = new May({ ...whoTypes(), rights });
const keyOf = (name: Key): string => `planted-key-of-${name}`;

let site: ServedSite;
let rehearsal: Rehearsal;
let server: RunningServer;

beforeAll(async () => {
  site = await openServedSite({
    serve: {
      keys: Object.fromEntries(
        Object.entries(rightsOf).map(([name, rights]) => [
          name,
          { sha256: hashOfKey(keyOf(name as Key)), ...rights },
        ]),
      ),
    },
    asks: { approval: 'required' },
    schedules: { weekly: { kind: 'sync', route: 'asks', cron: '30 3 * * 0', paused: true } },
    portals: { policy: { twoPeople: true } },
  });
  ({ rehearsal, server } = site);
});
afterAll(() => site.close());

interface Answer {
  readonly status: number;
  /** Where what was started is. */
  readonly location?: string;
  readonly body: Record<string, unknown>;
}
async function ask(
  as: Key,
  method: 'GET' | 'POST',
  where: string,
  body?: object,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const answer = await fetch(`${server.url}/api/v1${where}`, {
    method,
    headers: {
      authorization: `Bearer ${keyOf(as)}`,
      ...(body && { 'content-type': 'application/json' }),
      ...headers,
    },
    body: body && JSON.stringify(body),
  });
  const location = answer.headers.get('location');
  const said = (await answer.json()) as Record<string, unknown>;
  return { status: answer.status, body: said, ...(location !== null && { location }) };
}
const tell = (as: Key, where: string, body: object = {}, headers?: Record<string, string>): Promise<Answer> =>
  ask(as, 'POST', where, body, headers);
const record = async (runId: string): Promise<RunRecord> =>
  (await ask('viewer', 'GET', `/runs/${runId}`)).body as unknown as RunRecord;
const reached = (runId: string, ...statuses: RunRecord['status'][]): Promise<RunRecord> =>
  until(
    `${runId} to be ${statuses.join(' or ')}`,
    () => record(runId),
    ({ status }) => statuses.includes(status),
  );
async function waiting(): Promise<RunRecord> {
  rehearsal.editSource();
  const { body } = await tell('starter', '/syncs', { route: 'asks', full: true });
  return await reached(String(body['runId']), 'waiting');
}

describe('a run that is started over HTTP', () => {
  let succeeded: string;
  it('starts once per idempotency key, waits for approval by another person, and records who did what and how they signed in [P25]', async () => {
    const once = { 'idempotency-key': 'the-winter-release' };
    rehearsal.editSource();
    const asked = { route: 'asks', reason: 'road closures' };
    const first = await tell('starter', '/syncs', asked, once);
    expect(first).toMatchObject({ status: 202, body: { isNew: true } });
    const { runId } = first.body as { runId: string };
    const location = `/api/v1/runs/${runId}`;
    expect(first.location).toBe(location);
    expect(await tell('starter', '/syncs', asked, once)).toMatchObject({
      status: 200,
      location,
      body: { runId, isNew: false, route: { name: 'asks' }, workers: [expect.any(String)] },
    });
    expect(await tell('starter', '/syncs', { ...asked, full: true }, once)).toMatchObject({
      status: 400,
      body: { title: 'USAGE', detail: expect.stringContaining('with other options') },
    });

    const { plan } = await reached(runId, 'waiting');
    expect(await tell('approver', `/runs/${runId}/reject`, { plan: 'abcdef' })).toMatchObject({
      status: 400,
      body: { detail: expect.stringContaining('not abcdef') },
    });
    expect(await tell('approver', `/runs/${runId}/approve`, { plan: 'abcdef' })).toMatchObject({
      status: 400,
      body: { title: 'USAGE', detail: expect.stringContaining(plan?.hash ?? '') },
    });
    const yes = await tell('approver', `/runs/${runId}/approve`, { plan: plan?.hash, reason: 'looks right' });
    expect(yes).toEqual({
      status: 200,
      body: { runId, approved: plan?.hash, taken: true, answer: `plan ${plan?.hash} has been approved` },
    });
    const { status, actions, startedBy } = await reached(runId, 'succeeded', 'failed');
    expect([status, startedBy]).toEqual(['succeeded', 'starter']);
    succeeded = runId;
    expect(actions).toMatchObject([
      { who: 'starter', identity: 'key', what: 'start', reason: 'road closures' },
      { who: 'approver', identity: 'key', what: 'approve', reason: 'looks right' },
    ]);
    expect(await tell('approver', `/runs/${runId}/approve`, { plan: plan?.hash })).toMatchObject({
      status: 400,
      body: { detail: expect.stringContaining('has ended') },
    });
  });

  it('removes what another run created only with the approval that an import needs [P13]', async () => {
    const asked = { deleteCreated: 'south' };
    expect(await tell('starter', `/runs/${succeeded}/rollback`, { ...asked, yes: true })).toMatchObject({
      status: 403,
      body: { title: 'RIGHT_MISSING' },
    });
    const begun = await tell('starter', `/runs/${succeeded}/rollback`, asked);
    const runId = String(begun.body['runId']);
    const { plan, status } = await reached(runId, 'waiting', 'parked', 'failed', 'succeeded');
    expect(status).toBe('waiting');
    expect(plan).toMatchObject({ create: 0, overwrite: 0, remove: expect.any(Number) });
    expect((await tell('starter', `/runs/${runId}/approve`, { plan: plan?.hash })).status).toBe(403);
    await tell('approver', `/runs/${runId}/reject`, { plan: plan?.hash, reason: 'we use them' });
    expect(await reached(runId, 'cancelled', 'succeeded')).toMatchObject({
      status: 'cancelled',
      target: 'untouched',
    });
  });

  it('is answered by one of two who race, and the other is told', async () => {
    const { runId, plan } = await waiting();
    const [yes, no] = await Promise.all([
      tell('approver', `/runs/${runId}/approve`, { plan: plan?.hash }),
      tell('ci', `/runs/${runId}/reject`, { reason: 'not tonight' }),
      // Whoever may answer runs of another route alone is none of the two.
    ]);
    expect(no).toMatchObject({ status: 403, body: { title: 'RIGHT_MISSING' } });
    expect(yes.status).toBe(200);
    const again = await waiting();
    const answers = await Promise.all([
      tell('approver', `/runs/${again.runId}/approve`, { plan: again.plan?.hash }),
      tell('approver', `/runs/${again.runId}/reject`, { reason: 'not tonight' }),
    ]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400]);
    const { status, actions } = await reached(
      again.runId,
      'succeeded',
      'nothing-to-do',
      'failed',
      'cancelled',
    );
    const taken = answers[0].status === 200 ? 'approve' : 'reject';
    expect(actions.map(({ what }) => what)).toEqual(['start', taken]);
    expect(status === 'cancelled').toBe(taken === 'reject');
  });

  it('is backed up, cancelled, begun again, tried again and taken back as by the commands', async () => {
    const backup = await tell('starter', '/backups', { route: 'free', full: true, tags: ['by hand'] });
    expect(backup.status).toBe(202);
    const { runId } = await waiting();
    expect(await tell('operator', `/runs/${runId}/cancel`, { reason: 'too late' })).toMatchObject({
      status: 200,
      body: { runId, cancelled: true, now: false, taken: true, record: { runId, status: 'waiting' } },
    });
    expect((await reached(runId, 'cancelled')).actions.at(-1)).toMatchObject({
      who: 'operator',
      identity: 'key',
      what: 'cancel',
      reason: 'too late',
    });
    expect(await tell('operator', `/runs/${runId}/resume`)).toMatchObject({ status: 400 });
    const again = await tell('starter', `/runs/${runId}/restart`, { from: 'guard' });
    expect(again).toMatchObject({ status: 202, body: { isNew: true } });
    const { plan, parent } = await reached(String(again.body['runId']), 'waiting');
    expect(parent).toBe(runId);
    await tell('approver', `/runs/${String(again.body['runId'])}/approve`, { plan: plan?.hash });
    await reached(String(again.body['runId']), 'succeeded', 'nothing-to-do');
    expect(await tell('starter', `/runs/${String(again.body['runId'])}/retry`)).toMatchObject({
      status: 400,
      body: { title: 'NOTHING_TO_RETRY', detail: 'There is nothing to retry: all items have arrived.' },
    });
    await reached(String(backup.body['runId']), 'succeeded');
    const restore = await tell('starter', '/restores', {
      snapshot: 'latest:free',
      to: 'south',
      into: emptyGroupId,
      overwrite: true,
      planOnly: true,
    });
    expect(restore.status).toBe(202);
    expect(await reached(String(restore.body['runId']), 'succeeded')).toMatchObject({ kind: 'restore' });
  });

  it('has no field that nobody knows, no end that is half of one, and nothing that the file does not name', async () => {
    const wrong: [string, object, number, string][] = [
      ['/syncs', {}, 400, 'USAGE'],
      ['/syncs', { route: 'asks', from: 'north' }, 400, 'USAGE'],
      ['/syncs', { route: 'asks', startedBy: 'root' }, 400, 'USAGE'],
      ['/syncs', { route: 'nothing' }, 404, 'ROUTE_NOT_FOUND'],
      ['/syncs', { route: 'asks', items: ['../x'] }, 400, 'USAGE'],
      ['/restores', { snapshot: 'nothing', to: 'south', into: emptyGroupId }, 404, 'SNAPSHOT_NOT_FOUND'],
      ['/promotions', { pipeline: 'nothing', stage: 'x' }, 404, 'PIPELINE_NOT_FOUND'],
      ['/runs/nothing-like-it/cancel', {}, 404, 'RUN_NOT_FOUND'],
    ];
    for (const [where, body, status, title] of wrong) {
      const as = where.endsWith('cancel') ? 'operator' : 'starter';
      expect([where, body, await tell(as, where, body)]).toEqual([
        ...[where, body],
        { status, body: expect.objectContaining({ title, hint: expect.any(String) }) },
      ]);
    }
    const long = { ...rightsOf, reason: 'x'.repeat(600_000), route: 'asks' };
    expect((await tell('starter', '/syncs', long)).status).toBe(413);
    const spaced = await tell('starter', '/syncs', { route: 'asks' }, { 'idempotency-key': 'a b' });
    expect(spaced.status).toBe(400);
  });
});

/** The events of a stream, until it ends. */
async function* eventsOf(where: string): AsyncGenerator<{ event: string; data: Record<string, unknown> }> {
  const { body, headers } = await fetch(`${server.url}/api/v1${where}`, {
    headers: { authorization: `Bearer ${keyOf('viewer')}` },
  });
  expect(headers.get('content-type')).toMatch(/^text\/event-stream/);
  let text = '';
  for await (const chunk of body ?? []) {
    text += Buffer.from(chunk).toString();
    for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
      const [, event = '', data = '{}'] = /^id: .*\nevent: (.*)\ndata: (.*)$/.exec(text.slice(0, end)) ?? [];
      text = text.slice(end + 2);
      if (event !== '') yield { event, data: JSON.parse(data) as Record<string, unknown> };
    }
  }
}

describe('whoever has started a run', () => {
  it('does not approve it where a second person has to, and is in the way of nobody who may', async () => {
    rehearsal.editSource();
    const { body } = await tell('both', '/syncs', { route: 'asks', full: true });
    const runId = String(body['runId']);
    const { plan } = await reached(runId, 'waiting');
    const yes = { plan: plan?.hash };
    for (let time = 0; time < 2; time += 1)
      expect(await tell('both', `/runs/${runId}/approve`, yes)).toMatchObject({
        status: 400,
        body: { title: 'USAGE', detail: expect.stringContaining('requires a second approver') },
      });
    expect((await tell('approver', `/runs/${runId}/approve`, yes)).status).toBe(200);
    const { actions } = await reached(runId, 'succeeded', 'nothing-to-do');
    expect(actions.map(({ what, who }) => [what, who])).toEqual([
      ['start', 'both'],
      ['approve', 'approver'],
    ]);
  });

  it('has not started it by a schedule, in whose name they could approve it themselves [P13]', async () => {
    await inProcess(['schedule', 'apply', '--yes'], { cwd: rehearsal.folder });
    expect(await tell('both', '/schedules/weekly/trigger')).toMatchObject({
      body: { title: 'POLICY_REFUSED', hint: expect.stringContaining('portolan sync asks') },
    });
    // What has gone from the file meanwhile is started all the same, and writes where it did.
    const { schedules } = rehearsal.config;
    const weekly = await findSchedule(rehearsal.temporal, rehearsal.config, 'weekly');
    const without = {
      ...rehearsal.config,
      schedules: new Map([...schedules].filter(([name]) => name !== 'weekly')),
    };
    const sources = { ...rehearsal, config: without, may: mayAll };
    await expect(triggerSchedule(sources, weekly, undefined)).rejects.toMatchObject({
      code: 'POLICY_REFUSED',
    });
  });

  it('has not started it by a schedule if another name of the portal asks for two people', async () => {
    const { config } = rehearsal;
    const south = config.portals.get('south')!;
    const asks = { ...south, name: 'public', policy: { ...south.policy, twoPeople: true } };
    const portals = new Map([
      ...config.portals,
      ['south', { ...south, policy: { ...south.policy, twoPeople: false } }],
      ['public', asks],
    ]);
    const weekly = await findSchedule(rehearsal.temporal, config, 'weekly');
    const trigger = triggerSchedule(
      { ...rehearsal, config: { ...config, portals }, may: mayAll },
      weekly,
      undefined,
    );
    await expect(trigger).rejects.toMatchObject({ code: 'POLICY_REFUSED' });
  });
});

describe('a run that somebody watches', () => {
  it('is told as it goes on, to its end', async () => {
    const { runId, plan } = await waiting();
    const seen: string[] = [];
    for await (const { event, data } of eventsOf(`/runs/${runId}/live`)) {
      const { record } = data as { record?: RunRecord };
      seen.push(event === 'run' ? String(record?.status) : event);
      if (seen.length === 1) await tell('approver', `/runs/${runId}/approve`, { plan: plan?.hash });
    }
    expect(seen[0]).toBe('waiting');
    expect(seen.slice(-2)).toEqual([expect.stringMatching(/succeeded|nothing-to-do/), 'over']);
    for await (const { event, data } of eventsOf('/live')) {
      expect([event, data]).toEqual(['status', expect.objectContaining({ running: [], parked: [] })]);
      break;
    }
  });
});

describe('a key', () => {
  it('does what its rights say and nothing more, with its routes and no others [P25]', async () => {
    const { runId, plan } = await waiting();
    for (const route of ['asks', 'asks', 'free']) {
      const { body } = await tell('starter', '/backups', { route, full: true });
      await reached(String(body['runId']), 'succeeded');
    }
    const yes = { plan: plan?.hash };
    const refused: [Key, string, object][] = [
      ['approver', '/syncs', { route: 'free' }],
      ['operator', '/backups', { route: 'free' }],
      ['starter', `/runs/${runId}/approve`, yes],
      ['starter', '/syncs', { route: 'free', yes: true }],
      ['operator', `/runs/${runId}/reject`, {}],
      ['starter', `/runs/${runId}/cancel`, {}],
      ['ci', '/syncs', { from: 'north', group: manyGroupId, to: 'south', into: emptyGroupId }],
      ['starter', `/runs/${runId}/retry`, { bisect: true }],
      ['starter', '/syncs', { route: 'free', scheduledBy: 'nightly' }],
      ['ci', '/restores', { snapshot: 'latest:free', to: 'south', into: manyGroupId }],
      ['starter', '/snapshots/latest/pin', {}],
      ['starter', '/snapshots/forget', { route: 'free', keep: { last: 1 } }],
      ['starter', '/doctor', {}],
      ['approver', '/schedules/apply', {}],
      // Of what belongs to no route or pipeline, nothing is changed.
      ['keeper', '/freeze', { portal: 'north', reason: 'x' }],
      ['keeper', '/doctor', {}],
    ];
    for (const [as, where, body] of refused) {
      expect([as, where, await tell(as, where, body)]).toEqual([
        ...[as, where],
        { status: 403, body: expect.objectContaining({ title: 'RIGHT_MISSING' }) },
      ]);
    }
    const look = { route: 'asks', keep: { last: 1 }, dryRun: true };
    const { status: seenBy, body: seen } = await tell('viewer', '/snapshots/forget', look);
    expect([seenBy, seen]).toMatchObject([200, { dryRun: true, seen: expect.any(String) }]);
    expect(seen).not.toHaveProperty('result');
    const stale = { ...look, dryRun: false, seen: 'another' };
    expect(await tell('operator', '/snapshots/forget', stale)).toMatchObject({
      status: 409,
      body: { title: 'PLAN_CHANGED' },
    });
    expect((await tell('keeper', '/snapshots/latest:free/pin', { reason: 'own' })).body).toMatchObject({
      pin: { who: 'keeper', reason: 'own' },
    });
    expect((await tell('keeper', '/doctor', { name: 'free' })).body).toMatchObject({ of: 'route' });
    const pages: string[] = [];
    for (let cursor: unknown = ''; cursor !== undefined;) {
      const { body } = await ask('viewer', 'GET', `/snapshots?limit=1${String(cursor)}`);
      const { snapshots, next } = body as { snapshots: { id: string }[]; next?: string };
      pages.push(...snapshots.map(({ id }) => id));
      cursor = next && `&cursor=${encodeURIComponent(next)}`;
    }
    const { snapshots: all } = (await ask('viewer', 'GET', '/snapshots')).body as {
      snapshots: { id: string }[];
    };
    expect(pages).toEqual(all.map(({ id }) => id));
    expect(new Set(pages).size).toBeGreaterThan(2);
    expect((await ask('viewer', 'GET', '/snapshots?cursor=7')).body).toMatchObject({ title: 'USAGE' });
    expect(await record(runId)).toMatchObject({ status: 'waiting', actions: [{ what: 'start' }] });
    expect((await tell('approver', `/runs/${runId}/reject`, { reason: 'a test of rights' })).status).toBe(
      200,
    );
    const own = await tell('ci', '/syncs', { route: 'free' });
    expect(own.status).toBe(202);
    await reached(String(own.body['runId']), 'succeeded', 'nothing-to-do');
    expect(site.log()).not.toContain('planted-key');
  });

  it('pauses, resumes and triggers a schedule, and the audit says who did', async () => {
    await inProcess(['schedule', 'apply', '--yes'], { cwd: rehearsal.folder });
    const pause = (reason: string) => tell('operator', '/schedules/nightly/pause', { reason });
    const why = 'größer '.repeat(285);
    expect(await pause(why.padEnd(2_001, '.'))).toMatchObject({ status: 400 });
    expect(await pause(why)).toEqual({
      status: 200,
      body: {
        name: 'nightly',
        paused: true,
        note: expect.stringMatching(/^paused by operator: größer .*…$/),
      },
    });
    expect((await tell('operator', '/schedules/nightly/resume')).body).toMatchObject({
      name: 'nightly',
      paused: false,
      next: expect.stringMatching(/T22:30:00/),
    });
    const triggered = await tell('starter', '/schedules/nightly/trigger');
    expect(triggered.status).toBe(202);
    await reached(String(triggered.body['runId']), 'succeeded', 'nothing-to-do');
    const { entries } = await auditPage(rehearsal, { limit: 100 });
    const done = entries.filter(({ of }) => of === 'schedule nightly');
    expect(done.map(({ what, who, identity, reason }) => [what, who, identity, reason])).toEqual([
      ['trigger', 'starter', 'key', undefined],
      ['resume', 'operator', 'key', undefined],
      ['pause', 'operator', 'key', why],
    ]);
  });

  it('tells a schedule nothing that starts runs of another route than the file says by now', async () => {
    const { client } = rehearsal.temporal;
    const handle = client.schedule.getHandle(scheduleId(rehearsal.config.temporal.taskQueue, 'nightly'));
    const { action } = await handle.describe();
    const [input] = action.args as [{ route: object }];
    const others = { ...action, args: [{ ...input, route: { ...input.route, name: 'asks' } }] };
    await handle.update((before) => ({ ...before, action: others }));
    try {
      for (const [as, what] of [
        ['ci', 'trigger'],
        ['limited', 'pause'],
        ['limited', 'resume'],
      ] as const)
        expect([
          what,
          await tell(as, `/schedules/nightly/${what}`, what === 'pause' ? { reason: 'x' } : {}),
        ]).toEqual([what, { status: 403, body: expect.objectContaining({ title: 'RIGHT_MISSING' }) }]);
    } finally {
      await handle.update((before) => ({ ...before, action }));
    }
    expect((await tell('limited', '/schedules/nightly/resume')).status).toBe(200);
  });
});

describe('a slot that is released over HTTP', () => {
  it('is the one that was seen, and no later one of the same run', async () => {
    const { settings } = rehearsal.source;
    const { finalStatus } = settings;
    settings.finalStatus = { ...finalStatus, export: 'pondering' };
    try {
      rehearsal.editSource();
      const { runId } = (await tell('starter', '/syncs', { route: 'free', full: true })).body;
      const holder = async () =>
        (await ask('viewer', 'GET', `/queues/north/export/holder?run=${runId}`)).body;
      const { since } = await until(
        'the run to hold its slot',
        holder,
        (body) => body['since'] !== undefined,
      );
      const release = (asked: object) =>
        tell('operator', '/queues/north/export/release', { run: runId, reason: 'its job hangs', ...asked });
      const earlier = '2026-01-01T00:00:00.000Z';
      expect(await release({ since: earlier })).toMatchObject({ status: 400 });
      const form = { run: String(runId), since: earlier, reason: 'its job hangs' };
      const sent = await fetch(`${server.url}/queues/north/export/release`, {
        method: 'POST',
        redirect: 'manual',
        body: new URLSearchParams(form),
        headers: { authorization: `Bearer ${keyOf('operator')}` },
      });
      expect(sent.status).toBe(400);
      expect(await holder()).toMatchObject({ runId, since });
      expect(await release({ since })).toMatchObject({ status: 200, body: { released: true } });
      await tell('operator', `/runs/${runId}/cancel`, { now: true });
      await reached(String(runId), 'cancelled');
    } finally {
      settings.finalStatus = finalStatus;
    }
  });
});

describe('what Prometheus asks', () => {
  it('is answered from Temporal and the store, to whoever may look', async () => {
    expect((await fetch(`${server.url}/metrics`)).status).toBe(401);
    const answer = await fetch(`${server.url}/metrics`, {
      headers: { authorization: `Bearer ${keyOf('viewer')}` },
    });
    const lines = (await answer.text()).split('\n');
    expect(lines).toEqual(
      expect.arrayContaining([
        ...['portolan_temporal_up 1', 'portolan_store_up 1', 'portolan_workers 1', 'portolan_failing_runs 0'],
        ...[
          'portolan_open_runs{status="parked"} 0',
          'portolan_queue_slots{portal="south",direction="import"} 1',
        ],
        expect.stringMatching(/^portolan_ended_runs\{kind="backup",outcome="succeeded"\} [1-9]/),
        expect.stringMatching(/^portolan_last_success_items\{route="free",kind="backup",list="saved"\} 3/),
        expect.stringMatching(/^portolan_last_good_snapshot_timestamp_seconds\{route="free"\} 1\d{9}/),
        expect.stringMatching(
          /^portolan_http_request_duration_seconds_count\{method="POST",route="\/api\/v1\/syncs",status="202"\} \d/,
        ),
      ]),
    );
    // What was asked for by its id stands nowhere in it.
    expect(lines.join('\n')).not.toMatch(/sync-asks-/);
  });

  it('costs one question and no look at a record for all runs that are over and were looked at before', async () => {
    const { config, store, temporal } = rehearsal;
    const reads = jest.spyOn(store, 'readJson');
    const lists = jest.spyOn(temporal.client.workflow, 'list');
    try {
      const known = await readLastSuccesses({ config, store, temporal });
      expect(known.map(({ route, kind }) => `${kind} ${route}`)).toContain('backup free');
      expect(reads.mock.calls.length).toBeGreaterThan(0);
      for (const looks of [reads, lists]) looks.mockClear();
      const again = await readLastSuccesses({ config, store, temporal }, known);
      expect([again, lists.mock.calls.length, reads.mock.calls]).toEqual([known, 1, []]);
    } finally {
      for (const looks of [reads, lists]) looks.mockRestore();
    }
  });
});

describe('a client that was generated from the description', () => {
  it('starts a run, follows it, approves its plan and reads what came of it', async () => {
    const clientAs = async (as: Key): Promise<OpenAPIClient> => {
      const headers = { authorization: `Bearer ${keyOf(as)}` };
      const { body: definition } = await ask(as, 'GET', '/openapi.json');
      return await new OpenAPIClientAxios({
        definition: definition as never,
        withServer: { url: server.url },
        axiosConfigDefaults: { headers },
      }).init();
    };
    const [starter, approver, viewer] = await Promise.all([
      clientAs('starter'),
      clientAs('approver'),
      clientAs('viewer'),
    ]);
    rehearsal.editSource();
    const begun = await starter['startSync']?.({}, { route: 'asks', full: true });
    const { runId } = begun?.data as { runId: string };
    expect(begun).toMatchObject({ status: 202, headers: { location: `/api/v1/runs/${runId}` } });
    const run = { run: runId };
    const follow = (status: RunRecord['status']): Promise<RunRecord> =>
      until(
        `${runId} to be ${status}`,
        async () => ((await viewer['viewRun']?.(run))?.data as { record: RunRecord }).record,
        (record) => record.status === status,
      );
    const { plan } = await follow('waiting');
    expect((await viewer['readPlan']?.({ ...run, limit: 1 }))?.data).toMatchObject({ rows: [{}] });
    await approver['approveRun']?.(run, { plan: plan?.hash });
    expect(await follow('succeeded')).toMatchObject({ runId, startedBy: 'starter' });
    await expect(viewer['startSync']?.({}, { route: 'free' })).rejects.toMatchObject({
      response: { status: 403 },
    });
  });
});
