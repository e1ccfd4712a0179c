import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import http from 'node:http';
import net, { type AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { NotifyConfig } from '../../../src/config/config';
import { Secret, type SecretReference } from '../../../src/secrets/secret';
import type { Notice } from '../../../src/model/run/notification';
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

describe('a message', () => {
  it('says what happened in one line that ends with the command to type', () => {
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

  it('holds nothing that a chat or a terminal obeys, whatever the portal said', () => {
    const { text } = messageOf({
      ...notice,
      reason: 'the portal said: \u001b[2J\u202eno\r\n\n  \u0007 twice',
    });
    expect(text).toBe(
      'transport is parked and needs a decision (target untouched): the portal said: [2Jno / twice  portolan run resume k7q2',
    );
  });

  it('names the commands that answer a plan', () => {
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

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'portolan-notify-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

describe('a command that is told', () => {
  const command = (script: string): Extract<NotifyConfig, { command: unknown }> => ({
    setting: 'notify.0',
    name: 'notify.0',
    on: ['parked'],
    command: [process.execPath, '-e', script, 'planted-argument'],
    folder,
  });

  it('reads the message as JSON on its standard input, starts in the folder of portolan.yaml and knows event, run and route', async () => {
    const script = `
      const { PORTOLAN_EVENT, PORTOLAN_RUN, PORTOLAN_ROUTE } = process.env;
      const told = JSON.parse(require('node:fs').readFileSync(0, 'utf8'));
      require('node:fs').writeFileSync('told', JSON.stringify([PORTOLAN_EVENT, PORTOLAN_RUN, PORTOLAN_ROUTE, told]));`;
    expect(await notifyReceiver(command(script), message)).toBeUndefined();
    const told: unknown = JSON.parse(readFileSync(path.join(folder, 'told'), 'utf8'));
    expect(told).toEqual(['parked', notice.runId, 'transport', message]);
  });

  it('has no secret of the worker in its environment [P15]', async () => {
    process.env.PORTOLAN_TEST_PASSWORD = 'planted';
    const script = "require('node:fs').writeFileSync('told', JSON.stringify(process.env))";
    expect(await notifyReceiver(command(script), message)).toBeUndefined();
    delete process.env.PORTOLAN_TEST_PASSWORD;
    const told = readFileSync(path.join(folder, 'told'), 'utf8');
    expect(told).not.toContain('planted');
    expect(JSON.parse(told)).toMatchObject({ PATH: process.env['PATH'], PORTOLAN_EVENT: 'parked' });
  });

  it('may leave the message unread', async () => {
    expect(await notifyReceiver(command('process.exit(0)'), message)).toBeUndefined();
  });

  it('is tried again where it fails, and nothing that it prints is repeated', async () => {
    expect(
      await notifyReceiver(command("console.error('planted-output'); process.exit(3)"), message),
    ).toEqual({
      problem: 'notify.0 (node) ended with exit status 3',
      again: true,
    });
  });

  it('is ended with all that it started where it takes too long, and is not tried again', async () => {
    let lines = 0;
    const open = new Set<net.Socket>();
    const server = net.createServer((socket) => {
      lines += 1;
      open.add(socket);
      socket.on('error', () => {}).once('close', () => open.delete(socket));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    // What it starts holds a connection to us for as long as it lives.
    const child = `require('node:net').connect(${port}, '127.0.0.1')`;
    const script = `
      require('node:child_process').spawn(process.execPath, ['-e', ${JSON.stringify(child)}], { stdio: 'ignore' });
      setInterval(() => {}, 1000);`;
    // A busy machine needs longer to start what has to be ended.
    for (let limitS = 1; lines === 0; limitS *= 2) {
      expect(await runCommand(command(script), message, undefined, limitS * 1000)).toEqual({
        problem: `notify.0 (node) did not finish within ${limitS}s`,
        again: false,
      });
    }
    while (open.size > 0) await sleep(20);
    await new Promise((resolve) => server.close(resolve));
  });

  it('ends with the worker', async () => {
    const stop = new AbortController();
    const told = runCommand(command('setInterval(() => {}, 1000)'), message, stop.signal);
    stop.abort();
    expect(await told).toEqual({ problem: 'notify.0 (node) ended with signal SIGKILL', again: true });
  });

  it('that is not there is said, once', async () => {
    const missing = { ...command(''), command: ['/none/of/this'] as const };
    expect(await notifyReceiver(missing, message)).toEqual({
      problem: 'notify.0 (this) cannot be started (ENOENT)',
      again: false,
    });
  });
});

describe('a webhook that is told', () => {
  interface Received {
    readonly method?: string;
    readonly url?: string;
    readonly type?: string;
    readonly body: string;
  }
  const received: Received[] = [];
  let answer: (response: http.ServerResponse) => void;
  let server: http.Server;
  let host: string;

  beforeEach(async () => {
    received.length = 0;
    answer = (response) => response.end('ok');
    server = http.createServer((request, response) => {
      let body = '';
      request.on('data', (piece: Buffer) => (body += piece.toString()));
      request.on('end', () => {
        const { method, url, headers } = request;
        received.push({ method, url, type: headers['content-type'], body });
        answer(response);
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterEach(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

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
  const address = (): string => `http://${host}/planted-path?planted=query`;

  it('gets the message as JSON at the address that a file holds', async () => {
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

  it('gets a card of plain text for Teams, in which Markdown is only text [P16]', async () => {
    expect(
      await notifyReceiver({ ...webhook({ text: address() }), format: 'teams' }, hostile),
    ).toBeUndefined();
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

  it('gets a text without markup for Slack, in which a title mentions nobody and is no link [P16]', async () => {
    const slack = { ...webhook({ text: address() }), format: 'slack' } as const;
    expect(await notifyReceiver(slack, hostile)).toBeUndefined();
    const { text, ...how } = JSON.parse(received[0]?.body ?? '') as { text: string };
    expect(text).toBe(
      'transport failed (target untouched): "&lt;!channel&gt; &lt;http://evil|click&gt; &amp; [click](http://evil) **bold**" was refused  portolan run show k7q2\n<https://portolan.example.com/runs/r?a=1&amp;b=2>',
    );
    expect(how).toEqual({ mrkdwn: false, parse: 'none', unfurl_links: false, unfurl_media: false });
  });

  it.each(['teams', 'slack', 'healthchecks'] as const)('is sent a short text for %s', async (format) => {
    const long = messageOf({ ...notice, reason: 'x'.repeat(100_000) });
    expect(await notifyReceiver({ ...webhook({ text: address() }), format }, long)).toBeUndefined();
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
    const check = { ...webhook({ text: address() }), format: 'healthchecks' } as const;
    expect(await notifyReceiver(check, { ...hostile, event })).toBeUndefined();
    expect(received).toEqual([
      {
        method: 'POST',
        url: `${place}?planted=query`,
        type: 'text/plain; charset=utf-8',
        body: hostile.text,
      },
    ]);
  });

  it('does not take a ping for accepted that the service says it dropped [P22]', async () => {
    const check = { ...webhook({ text: address() }), format: 'healthchecks' } as const;
    answer = (response) => response.end('OK (not found)');
    expect(await notifyReceiver(check, hostile)).toEqual({
      problem: `notify.1 (${host}) has no such check`,
      again: false,
    });
    answer = (response) => response.end('OK (rate limited)');
    expect(await notifyReceiver(check, hostile)).toMatchObject({ again: true });
    answer = (response) => response.end('x'.repeat(10_000_000));
    expect(await notifyReceiver(check, hostile)).toBeUndefined();
  });

  it.each(['teams', 'slack', 'healthchecks'] as const)(
    'follows no redirect with the address of %s, and names its host only [P15]',
    async (format) => {
      answer = (response) => response.writeHead(307, { location: '/elsewhere' }).end('planted-answer');
      expect(await notifyReceiver({ ...webhook({ text: address() }), format }, hostile)).toEqual({
        problem: `notify.1 (${host}) returned HTTP 307`,
        again: false,
      });
      expect(received).toHaveLength(1);
    },
  );

  it.each([
    [500, true],
    [503, true],
    [429, true],
    [404, false],
    [302, false],
  ])('is named by its host only where it answers %i; worth another try: %s', async (status, again) => {
    answer = (response) => response.writeHead(status, { location: '/elsewhere' }).end();
    expect(await notifyReceiver(webhook({ text: address() }), message)).toEqual({
      problem: `notify.1 (${host}) returned HTTP ${status}`,
      again,
    });
    expect(received).toHaveLength(1);
  });

  it('is given up for now where it does not answer', async () => {
    answer = () => {};
    expect(await postWebhook(webhook({ text: address() }), message, undefined, 200)).toEqual({
      problem: `notify.1 (${host}) did not respond within 200ms`,
      again: true,
    });
  });

  it('has told once it said so, however its answer ends', async () => {
    answer = (response) => {
      response.writeHead(200, { 'content-length': '1000' }).write('cut');
      setImmediate(() => response.destroy());
    };
    expect(await notifyReceiver(webhook({ text: address() }), message)).toBeUndefined();
  });

  it('that nobody listens for is named by its host only [P15]', async () => {
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
  ])('is not posted to where its address is %s', async (text, problem) => {
    const told = await notifyReceiver(webhook({ text }), message);
    expect(told).toMatchObject({ again: false, problem: expect.stringContaining(problem) });
    expect(told?.problem).not.toContain('planted');
  });

  it('is named by its place where its address cannot be read', async () => {
    expect(await notifyReceiver(webhook({ env: 'PORTOLAN_TEST_NO_SUCH_ADDRESS' }), message)).toEqual({
      problem: 'notify.1.webhook: environment variable PORTOLAN_TEST_NO_SUCH_ADDRESS is not set.',
      again: false,
    });
  });
});
