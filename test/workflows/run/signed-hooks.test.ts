import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openControl } from '../../../src/domain/control/control';
import { readDeliveries } from '../../../src/domain/notify/deliveries';
import { testMessage } from '../../../src/domain/notify/message';
import type { Delivery } from '../../../src/model/run/notification';
import { transportItems } from '../../../src/simulator/seed/transport';
import { HookReceiver } from '../../support/hook-receiver';
import { Site } from '../../support/site';
import { until } from '../../support/until';

const secrets = [
  `whsec_${Buffer.from('planted-secret-of-before-32-bytes').toString('base64')}`,
  'planted-text-that-is-to-come-after',
];
const variables = ['PORTOLAN_TEST_HOOK', 'PORTOLAN_TEST_HOOK_NEXT'];

const receiver = new HookReceiver(secrets);
let site: Site;
beforeAll(async () => {
  variables.forEach((name, index) => (process.env[name] = secrets[index]));
  const webhook = await receiver.open();
  site = await Site.open({
    logLevel: 'trace',
    config: {
      serve: { url: 'https://portolan.example.com/' },
      notify: [
        {
          name: 'tickets',
          on: ['started', 'succeeded', 'failed'],
          webhook,
          secret: variables.map((env) => ({ env })),
        },
      ],
    },
  });
});
afterAll(async () => {
  await site.close();
  await receiver.close();
  for (const name of variables) delete process.env[name];
});

const known = () => readDeliveries(site.store, 'tickets');
const eventOf = ({ verified: [message] }: HookReceiver['received'][number]) =>
  typeof message === 'object' ? message.event : message;

describe('message to a webhook', () => {
  it('is signed with each of its secrets', async () => {
    const { runId, record } = await site.sync(site.route({ items: [transportItems.pdf] }));
    expect(record.warnings).not.toContainEqual(expect.stringContaining('notification'));
    expect(receiver.received.map(eventOf)).toEqual(['started', 'succeeded']);
    for (const { verified, signature } of receiver.received) {
      expect(signature).toMatch(/^v1,\S+ v1,\S+$/);
      expect(verified).toEqual([verified[1], verified[0]]);
      expect(verified[0]).toMatchObject({
        runId,
        route: 'transport',
        page: `https://portolan.example.com/runs/${runId}`,
      });
    }
    expect(await known()).toMatchObject({
      last: { runId, event: 'succeeded', status: 'delivered' },
      open: [],
    });
  });

  it('is sent until accepted, under the same ID, while the run continues', async () => {
    const before = receiver.received.length;
    let isOver = false;
    receiver.answer = (message, time) =>
      eventOf(message) === 'started' && (time < 3 || !isOver) ? 503 : 204;
    const { record, runId, handle } = await site.sync(site.route({ items: [transportItems.pdf] }));
    isOver = true;
    expect(record.status).toBe('nothing-to-do');
    expect(record.warnings.filter((warning) => warning.includes('notification'))).toEqual([
      expect.stringMatching(/^the notification "started" was not accepted and will be sent again: notify.0 /),
    ]);
    await site.stopWorker();
    await site.startWorker();
    await until(
      'the message that was not taken',
      known,
      ({ open, last }) => open.length === 0 && last?.event === 'started',
    );
    const all = receiver.received.slice(before);
    const started = all.filter((each) => eventOf(each) === 'started');
    expect(started.length).toBeGreaterThan(2);
    expect(new Set(started.map(({ id }) => id)).size).toBe(1);
    expect(new Set(all.map(({ id }) => id)).size).toBe(2);
    expect(await known()).toMatchObject({
      last: { runId, event: 'started', status: 'delivered', attempts: started.length },
    });

    const histories = [handle.workflowId, `delivery-${started[0]?.id}-tickets`].map(async (workflowId) =>
      JSON.stringify(await site.handle(workflowId).fetchHistory()),
    );
    const said = [
      ...(await Promise.all(histories)),
      readFileSync(path.join(site.folder, 'logs', 'worker.log'), 'utf8'),
      JSON.stringify([record, await known()]),
    ].join('\n');
    expect(said).toContain('tickets');
    for (const planted of [...secrets, 'planted-path', 'planted-answer', 'planted-secret'])
      expect([
        planted,
        said.includes(planted),
        said.includes(Buffer.from(planted).toString('base64')),
      ]).toEqual([planted, false, false]);
  });

  it('needs a delivery signed with the control key [P26]', async () => {
    const { client } = site.temporal;
    const before = receiver.received.length;
    const message = testMessage('forged');
    const delivery: Delivery = { receiver: 'tickets', message, until: Date.now() + 60_000, tried: 0 };
    const start = (workflowId: string, given: object) =>
      client.workflow.execute('delivery', {
        workflowId,
        args: [given],
        taskQueue: site.config.temporal.taskQueue,
      });
    await expect(start('delivery-forged', delivery)).rejects.toThrow();
    const signed = (await openControl(site.config)).signStart('delivery', 'delivery-signed', delivery);
    await expect(start('delivery-signed', { ...signed, receiver: 'other' })).rejects.toThrow();
    expect(receiver.received).toHaveLength(before);
    expect(await start('delivery-signed', signed)).toBe('delivered');
    expect(receiver.received.slice(before).map(eventOf)).toEqual(['test']);
  });
});
