import { aFolder } from '../../support/folder';
import { close, listen, withBody } from '../../support/listening';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import http from 'node:http';
import path from 'node:path';
import type { NotifyConfig } from '../../../src/config/config';
import { Secret, type SecretReference } from '../../../src/secrets/secret';
import type { Notice, Notification } from '../../../src/model/run/notification';
import { notifyReceiver, postWebhook, runCommand } from '../../../src/domain/notify/receivers';
import { messageOf } from '../../../src/domain/notify/message';

const notice: Notice = {
  runId: 'sync-transport-20261121T011200Z-k7q2',
  route: { name: 'transport', source: { groupId: 's' }, target: { groupId: 't' } },
  event: 'parked',
  status: 'parked',
  target: 'untouched',
  reason: 'production ended the import job as "failed";\nthe portal said: token=planted-token',
  commands: ['portolan run resume k7q2', 'portolan run cancel k7q2'],
  count: 2,
};
const message = messageOf(notice);

describe('a notification', () => {
  it('is one line that ends with the command to type', () => {
    expect(message).toEqual({
      id: 'sync-transport-20261121T011200Z-k7q2/parked/2',
      event: 'parked',
      runId: notice.runId,
      route: 'transport',
      status: 'parked',
      target: 'untouched',
      reason: 'production ended the import job as "failed";\nthe portal said: token=***',
      commands: notice.commands,
      text: 'transport is parked and needs a decision (target untouched): production ended the import job as "failed"; / the portal said: token=***  portolan run resume k7q2',
    });
  });

  it('holds no control characters of a portal message', () => {
    const { text } = messageOf({
      ...notice,
      reason: 'the portal said: \u001b[2J\u202eno\r\n\n  \u0007 twice',
    });
    expect(text).toBe(
      'transport is parked and needs a decision (target untouched): the portal said: [2Jno / twice  portolan run resume k7q2',
    );
  });

  it('names the commands that decide about a plan', () => {
    const waiting = messageOf({
      ...notice,
      event: 'waiting',
      status: 'waiting',
      commands: undefined,
      planHash: 'a-b',
    });
    expect(waiting.commands).toEqual([
      'portolan run show k7q2 --plan',
      'portolan run approve k7q2 --plan a-b',
      'portolan run reject k7q2',
    ]);
  });
});

const folder = aFolder();

describe('a notified command', () => {
  const command = (script: string): Extract<NotifyConfig, { command: unknown }> => ({
    setting: 'notify.0',
    name: 'notify.0',
    on: ['parked'],
    command: [process.execPath, '-e', script, 'planted-argument'],
    folder,
  });

  it('reads JSON on stdin, in the folder of portolan.yaml, with its variables', async () => {
    const script = `
      const { PORTOLAN_EVENT, PORTOLAN_RUN, PORTOLAN_ROUTE } = process.env;
      const told = JSON.parse(require('node:fs').readFileSync(0, 'utf8'));
      require('node:fs').writeFileSync('told', JSON.stringify([PORTOLAN_EVENT, PORTOLAN_RUN, PORTOLAN_ROUTE, told]));`;
    expect(await notifyReceiver(command(script), message)).toBeUndefined();
    const told: unknown = JSON.parse(readFileSync(path.join(folder, 'told'), 'utf8'));
    expect(told).toEqual(['parked', notice.runId, 'transport', message]);
  });

  // What a program sees of the worker, and that nothing of it stays: test/domain/release/checks.test.ts.
  it('is retried if it fails, not if it is slow or missing, and its output is dropped', async () => {
    const wait = command('setInterval(() => {}, 1000)');
    const stop = new AbortController();
    const stopped = runCommand(wait, message, stop.signal);
    stop.abort();
    expect([
      await notifyReceiver(command('process.exit(0)'), message),
      await notifyReceiver(command("console.error('planted-output'); process.exit(3)"), message),
      await stopped,
      await runCommand(wait, message, undefined, 200),
      await notifyReceiver({ ...wait, command: ['/none/of/this'] }, message),
    ]).toEqual([
      undefined,
      { problem: 'notify.0 (node) ended with exit status 3', again: true },
      { problem: 'notify.0 (node) ended with signal SIGKILL', again: true },
      { problem: 'notify.0 (node) did not finish within 200ms', again: false },
      { problem: 'notify.0 (this) cannot be started (ENOENT)', again: false },
    ]);
  });
});

describe('a notified webhook', () => {
  interface Received {
    method?: string;
    url?: string;
    type?: string;
    body: string;
  }
  const received: Received[] = [];
  let answer: (response: http.ServerResponse) => void;
  let server: http.Server;
  let host: string;

  beforeEach(async () => {
    received.length = 0;
    answer = (response) => response.end('ok');
    server = http.createServer(
      withBody(({ method, url, headers }, body, response) => {
        received.push({ method, url, type: headers['content-type'], body: body.toString() });
        answer(response);
      }),
    );
    host = `127.0.0.1:${await listen(server)}`;
  });
  afterEach(() => close(server));

  const webhook = (reference: SecretReference): Extract<NotifyConfig, { webhook: unknown }> => ({
    setting: 'notify.1',
    name: 'notify.1',
    secret: [],
    folder,
    on: ['parked'],
    webhook: new Secret(reference).locate('notify.1.webhook', folder),
    insecure: false,
    format: 'json',
  });
  const address = () => `http://${host}/planted-path?planted=query`;
  const toldAs = (format: 'json' | 'teams' | 'slack' | 'healthchecks', what: Notification = hostile) =>
    notifyReceiver({ ...webhook({ text: address() }), format }, what);

  it('receives JSON at the address in a file', async () => {
    await writeFile(path.join(folder, 'address'), `${address()}\n`);
    expect(await notifyReceiver(webhook({ file: 'address' }), message)).toBeUndefined();
    expect(received).toEqual([
      {
        method: 'POST',
        url: '/planted-path?planted=query',
        type: 'application/json',
        body: JSON.stringify(message),
      },
    ]);
  });

  const hostile = messageOf(
    {
      ...notice,
      event: 'failed',
      reason: '"<!channel> <http://evil|click> & [click](http://evil) **bold**" was refused',
      commands: ['portolan run show k7q2'],
    },
    'https://portolan.example.com/runs/r?a=1&b=2',
  );
  const line =
    'transport failed (target untouched): "<!channel> <http://evil|click> & [click](http://evil) **bold**" was refused  portolan run show k7q2';

  it('receives a card for Teams in which Markdown is text [P16]', async () => {
    expect(await toldAs('teams')).toBeUndefined();
    expect(received).toMatchObject([{ url: '/planted-path?planted=query', type: 'application/json' }]);
    expect(JSON.parse(received[0]?.body ?? '')).toEqual({
      type: 'message',
      attachments: [
        {
          contentType: 'application/vnd.microsoft.card.adaptive',
          contentUrl: null,
          content: {
            $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
            type: 'AdaptiveCard',
            version: '1.4',
            body: [{ type: 'RichTextBlock', inlines: [{ type: 'TextRun', text: line }] }],
            actions: [{ type: 'Action.OpenUrl', title: 'Open the run', url: hostile.page }],
          },
        },
      ],
    });
  });

  it('receives text for Slack in which a title mentions nobody and is no link [P16]', async () => {
    expect(await toldAs('slack')).toBeUndefined();
    const { text, ...how } = JSON.parse(received[0]?.body ?? '') as { text: string };
    expect(text).toBe(
      'transport failed (target untouched): "&lt;!channel&gt; &lt;http://evil|click&gt; &amp; [click](http://evil) **bold**" was refused  portolan run show k7q2\n<https://portolan.example.com/runs/r?a=1&amp;b=2>',
    );
    expect(how).toEqual({ mrkdwn: false, parse: 'none', unfurl_links: false, unfurl_media: false });
  });

  it.each(['teams', 'slack', 'healthchecks'] as const)('is sent a short text for %s', async (format) => {
    expect(await toldAs(format, messageOf({ ...notice, reason: 'x'.repeat(100_000) }))).toBeUndefined();
    expect(received[0]?.body.length).toBeLessThan(4_000);
  });

  it.each([
    ['started', '/planted-path/start'],
    ['succeeded', '/planted-path'],
    ['recovered', '/planted-path'],
    ['failed', '/planted-path/fail'],
    ['partial', '/planted-path/fail'],
    ['parked', '/planted-path/fail'],
    ['overdue', '/planted-path/fail'],
    ['waiting', '/planted-path/log'],
    ['promoted', '/planted-path/log'],
    ['test', '/planted-path/log'],
  ] as const)('is pinged as a check: %s at %s', async (event, place) => {
    expect(await toldAs('healthchecks', { ...hostile, event })).toBeUndefined();
    expect(received).toEqual([
      {
        method: 'POST',
        url: `${place}?planted=query`,
        type: 'text/plain; charset=utf-8',
        body: hostile.text,
      },
    ]);
  });

  it('fails if the service says that it dropped the ping [P22]', async () => {
    answer = (response) => response.end('OK (not found)');
    expect(await toldAs('healthchecks')).toEqual({
      problem: `notify.1 (${host}) has no such check`,
      again: false,
    });
    answer = (response) => response.end('OK (rate limited)');
    expect(await toldAs('healthchecks')).toMatchObject({ again: true });
    answer = (response) => response.end('x'.repeat(10_000_000));
    expect(await toldAs('healthchecks')).toBeUndefined();
  });

  it.each([
    ['json', 500, true],
    ['json', 503, true],
    ['json', 429, true],
    ['json', 404, false],
    ['json', 302, false],
    ['teams', 307, false],
    ['slack', 307, false],
    ['healthchecks', 307, false],
  ] as const)(
    'names only the host for %s and HTTP %i, follows no redirect, is retried: %s [P15]',
    async (format, status, again) => {
      answer = (response) => response.writeHead(status, { location: '/elsewhere' }).end('planted-answer');
      expect(await toldAs(format)).toEqual({
        problem: `notify.1 (${host}) returned HTTP ${status}`,
        again,
      });
      expect(received).toHaveLength(1);
    },
  );

  it('is retried if it does not respond', async () => {
    answer = () => {};
    expect(await postWebhook(webhook({ text: address() }), message, undefined, 200)).toEqual({
      problem: `notify.1 (${host}) did not respond within 200ms`,
      again: true,
    });
  });

  it('counts as notified if its response is cut', async () => {
    answer = (response) => {
      response.writeHead(200, { 'content-length': '1000' }).write('cut');
      setImmediate(() => response.destroy());
    };
    expect(await toldAs('json', message)).toBeUndefined();
  });

  it('is named by its host only if it cannot be reached [P15]', async () => {
    const gone = address();
    server.close();
    expect(await notifyReceiver(webhook({ text: gone }), message)).toEqual({
      problem: `notify.1 (${host}) cannot be reached (ECONNREFUSED)`,
      again: true,
    });
  });

  it.each([
    ['http://chat.example.com/planted', 'would be sent unencrypted'],
    ['planted', 'is not a URL'],
    ['ftp://chat.example.com/planted', 'must begin with https://'],
  ])('receives nothing at the address %s', async (text, problem) => {
    const told = await notifyReceiver(webhook({ text }), message);
    expect(told).toMatchObject({ again: false, problem: expect.stringContaining(problem) });
    expect(told?.problem).not.toContain('planted');
  });

  it('is named by its setting if its address cannot be read', async () => {
    expect(await notifyReceiver(webhook({ env: 'PORTOLAN_TEST_NO_SUCH_ADDRESS' }), message)).toEqual({
      problem: 'notify.1.webhook: environment variable PORTOLAN_TEST_NO_SUCH_ADDRESS is not set.',
      again: false,
    });
  });
});
