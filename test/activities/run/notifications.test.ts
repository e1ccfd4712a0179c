import { aFolder } from '../../support/folder';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import http from 'node:http';
import type { Client } from '@temporalio/client';
import { bind } from '../../../src/activities/activities';
import type { ActivityDeps } from '../../../src/activities/deps';
import { deliver, notify, filterSubscribedEvents } from '../../../src/activities/run/notifications';
import type { Config, NotifyConfig } from '../../../src/config/config';
import { readDeliveries } from '../../../src/domain/notify/deliveries';
import { type Delivery, type Notice, notifyEvents } from '../../../src/model/run/notification';
import { Secret } from '../../../src/secrets/secret';
import { LocalStore } from '../../../src/store/local/local-store';
import { testControl } from '../../support/control';
import { close, listen, withBody } from '../../support/listening';
import { Attempts } from '../attempt/attempts';
import { clientOfOurs } from '../attempt/client-of-ours';

let folder: string;

const route = { name: 'transport', source: { groupId: 's' }, target: { groupId: 't' } };
const notice: Notice = {
  runId: 'sync-transport-20261121T011200Z-k7q2',
  route,
  event: 'failed',
  status: 'failed',
  target: 'untouched',
  count: 1,
};
const recovered: Notice = { ...notice, event: 'recovered', status: 'succeeded', target: 'changed' };

let server: http.Server;
let host: string;
/** Answers by path; 200 where none is set. */
let answers: Record<string, number>;
/** Paths and events, in the order in which they came. */
let received: string[];

beforeEach(async () => {
  folder = aFolder();
  answers = {};
  later = [];
  received = [];
  server = http.createServer(
    withBody(({ url = '' }, body, response) => {
      const text = body.toString();
      const { id } = (text.startsWith('{') ? JSON.parse(text) : { id: '' }) as { id: string };
      received.push(`${url} ${id.split('/').slice(1).join(' ')}`.trim());
      response.writeHead(answers[url] ?? 200).end();
    }),
  );
  host = `127.0.0.1:${await listen(server)}`;
});
afterEach(() => close(server));

const receiver = (index: number, on: NotifyConfig['on'] = notifyEvents): NotifyConfig => ({
  setting: `notify.${index}`,
  name: index === 0 ? 'chat' : `notify.${index}`,
  secret: [],
  folder,
  on,
  webhook: new Secret({ text: `http://${host}/${index}` }).locate(`notify.${index}.webhook`, folder),
  insecure: false,
  format: 'json',
});

/** What is handed to a workflow of its own. */
let later: Delivery[];
const client = {
  ...clientOfOurs,
  workflow: {
    start: (_workflow: string, { args }: { args: [Delivery] }) => Promise.resolve(void later.push(...args)),
  },
} as unknown as Client;
const activities = (...receivers: NotifyConfig[]) => {
  const config = { temporal: {}, serve: {}, notify: receivers } as unknown as Config;
  const store = new LocalStore(folder);
  const deps = { store, config, openControl: () => Promise.resolve(testControl) } as unknown as ActivityDeps;
  const bound = bind(deps, { notify, deliver, filterSubscribedEvents });
  return { ...bound, notify: (of: Notice) => allOf(() => bound.notify(of)) };
};
const known = (name: string) => readDeliveries(new LocalStore(folder), name);

const allOf = async <T>(activity: () => Promise<T>): Promise<(T | Error)[]> => {
  const attempts = new Attempts(activity, undefined, client);
  const results: (T | Error)[] = [];
  for (;;) {
    const result = await attempts.next();
    results.push(result);
    if (!(result instanceof Error)) return results;
  }
};

describe('a notification', () => {
  it('is sent only for subscribed events', async () => {
    const { notify } = activities(receiver(0, ['parked', 'failed']), receiver(1, ['waiting']));
    expect(await notify(notice)).toEqual([[]]);
    expect(received).toEqual(['/0 failed 1']);
  });

  it('is sent only for subscribed routes, and for groups of a subscribed rule', async () => {
    const { notify, filterSubscribedEvents } = activities({
      ...receiver(0),
      routes: ['transport', 'protect/p/all'],
    });
    const names = ['transport', 'transport2', 'protect/p/all/g1', 'protect/p/all2'];
    for (const name of names) {
      const of = { ...notice, route: { ...route, name } };
      expect(await notify(of)).toEqual([[]]);
      const told = name === 'transport' || name === 'protect/p/all/g1';
      expect(await filterSubscribedEvents({ route: of.route, events: ['failed'] })).toEqual(
        told ? ['failed'] : [],
      );
    }
    expect(received).toEqual(['/0 failed 1', '/0 failed 1']);
  });

  it('to a check is never a late start, and a late end for an hour at most', async () => {
    answers = { '/0/start': 503, '/0/fail': 503 };
    const { notify } = activities({ ...receiver(0), format: 'healthchecks' });
    const results = await notify({ ...notice, event: 'started', status: 'running' });
    expect(results.at(-1)).toEqual([
      `the notification "started" was not sent: notify.0 (${host}) returned HTTP 503`,
    ]);
    expect(later).toEqual([]);
    const before = Date.now();
    await notify(notice);
    expect(later).toHaveLength(1);
    expect((later[0]?.until ?? 0) - before).toBeLessThan(3_700_000);
    expect(received).toEqual([...Array.from({ length: 4 }, () => '/0/start'), '/0/fail']);
  });

  it('that fails is sent later to a webhook, and four times to a command', async () => {
    answers['/0'] = 503;
    answers['/1'] = 404;
    const command: NotifyConfig = {
      setting: 'notify.2',
      name: 'notify.2',
      on: notifyEvents,
      folder,
      command: [process.execPath, '-e', 'process.exit(3)'],
    };
    const { notify } = activities(receiver(0), receiver(1), command);
    const results = await notify(notice);
    expect(results.slice(0, -1)).toMatchObject(
      [1, 2, 3].map(() => ({
        type: 'NOT_YET',
        nonRetryable: false,
        message: 'notify.2 (node) ended with exit status 3',
      })),
    );
    expect((results.at(-1) as string[]).sort()).toEqual([
      `the notification "failed" was not accepted and will be sent again: notify.0 (${host}) returned HTTP 503`,
      `the notification "failed" was not sent: notify.1 (${host}) returned HTTP 404`,
      'the notification "failed" was not sent: notify.2 (node) ended with exit status 3',
    ]);
    expect(received.sort()).toEqual(['/0 failed 1', '/1 failed 1']);
    expect(later).toMatchObject([
      { receiver: 'chat', message: { id: `${notice.runId}/failed/1` }, tried: 1 },
    ]);
    expect(await known('chat')).toMatchObject({ last: { status: 'open', attempts: 1 }, open: [{}] });
    expect(await known('notify.1')).toMatchObject({ last: { status: 'failed' }, open: [] });
  });

  it('is sent later until it is accepted, refused, outdated or has no receiver', async () => {
    answers['/0'] = 503;
    const { notify, deliver } = activities(receiver(0));
    await notify(notice);
    const [delivery] = later as [Delivery];
    const attempts = new Attempts(() => deliver(delivery));
    expect(await attempts.next()).toMatchObject({ type: 'NOT_YET', nextRetryDelay: 5_000 });
    expect(await attempts.next()).toMatchObject({ type: 'NOT_YET', nextRetryDelay: 30_000 });
    expect(await known('chat')).toMatchObject({ last: { status: 'open', attempts: 3 } });
    answers['/0'] = 204;
    expect(await attempts.next()).toBe('delivered');
    expect(await known('chat')).toMatchObject({ last: { status: 'delivered', attempts: 4 }, open: [] });
    answers['/0'] = 410;
    expect(await attempts.next()).toBe('failed');
    answers['/0'] = 503;
    expect(await allOf(() => deliver({ ...delivery, until: Date.now() + 500 }))).toEqual(['failed']);
    expect(await allOf(() => deliver({ ...delivery, receiver: 'gone' }))).toEqual(['failed']);
    expect((await known('gone')).last?.problem).toContain('no longer has notify.name "gone"');
  });
});

describe('a recovery', () => {
  const troubled = (receiver: NotifyConfig) => {
    const { notify, filterSubscribedEvents } = activities(receiver);
    const wasInTrouble = async (asked: Pick<Notice, 'route'>) =>
      (await filterSubscribedEvents({ ...asked, events: ['recovered'] })).length > 0;
    return { notify, wasInTrouble };
  };

  it.each(['parked', 'partial', 'failed'] as const)('is notified once after a run was %s', async (event) => {
    const { notify, wasInTrouble } = troubled(receiver(0));
    await notify({ ...notice, event: 'waiting', status: 'waiting' });
    expect(await wasInTrouble({ route })).toBe(false);
    await notify({ ...notice, event });
    expect(await wasInTrouble({ route: { ...route, name: 'other' } })).toBe(false);
    expect(await wasInTrouble({ route })).toBe(true);
    await notify(recovered);
    expect(await wasInTrouble({ route })).toBe(false);
  });

  it('is filtered together with other events', async () => {
    const { notify, filterSubscribedEvents } = activities(receiver(0, ['failed', 'succeeded', 'recovered']));
    const events = ['started', 'succeeded', 'recovered'] as const;
    expect(await filterSubscribedEvents({ route, events })).toEqual(['succeeded']);
    await notify(notice);
    expect(await filterSubscribedEvents({ route, events })).toEqual(['succeeded', 'recovered']);
    const others = activities(receiver(0, ['failed', 'succeeded']));
    expect(await others.filterSubscribedEvents({ route, events })).toEqual(['succeeded']);
  });

  it('is unknown, but trouble notified, when the store fails', async () => {
    const store = new LocalStore(folder);
    await store.writeJson('routes', 'a file where a folder should be');
    const { notify } = activities(receiver(0));
    const [warnings] = await notify(notice);
    expect(warnings).toEqual([
      expect.stringMatching(/^Portolan will not know whether this route recovers: /),
    ]);
    expect(received).toEqual(['/0 failed 1']);
  });
});
