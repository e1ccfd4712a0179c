import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readDeliveries } from '../../../src/domain/notify/deliveries';
import { Portolan } from '../../support/child';
import { HookReceiver } from '../../support/hook-receiver';
import { Site } from '../../support/site';
import { until } from '../../support/until';

const secret = `whsec_${Buffer.from('planted-secret-of-the-receiver-1').toString('base64')}`;
const receiver = new HookReceiver([secret]);
let site: Site;
let worker: Portolan | undefined;

beforeAll(async () => {
  site = await Site.open({
    worker: false,
    listed: true,
    config: {
      notify: [
        {
          name: 'tickets',
          on: ['started', 'succeeded'],
          webhook: await receiver.open(),
          secret: { env: 'PORTOLAN_TEST_KILLED' },
        },
      ],
    },
  });
});
afterAll(async () => {
  await kill();
  await site.close();
  await receiver.close();
});

async function start(): Promise<void> {
  worker = new Portolan(['worker'], { cwd: site.folder, env: { PORTOLAN_TEST_KILLED: secret } });
  await worker.says(' polls ');
}

async function kill(): Promise<void> {
  worker?.child.kill('SIGKILL');
  await worker?.ended;
}

describe('a message whose worker is killed', () => {
  it.each([1, 2, 3])(
    'while attempt %i at it goes on comes all the same, under the same id',
    async (fatal) => {
      const before = receiver.received.length;
      let killed: Promise<void> | undefined;
      const attempts = { started: 0 };
      receiver.answer = ({ verified: [message] }) => {
        if (typeof message !== 'object' || message.event !== 'started') return 204;
        attempts.started += 1;
        if (attempts.started === fatal) killed = kill();
        return attempts.started <= fatal ? 503 : 204;
      };
      await start();
      const handle = await site.start();
      await until('the worker to be killed', () => killed !== undefined);
      await killed;
      await start();
      await site.over(handle);
      // A message of the run before may come once more.
      const all = () =>
        receiver.received
          .slice(before)
          .filter(
            ({ verified: [message] }) => message instanceof Object && message.runId === handle.workflowId,
          );
      await until('both messages', () => new Set(all().map(({ id }) => id)).size === 2);
      await until('the last attempt', () => attempts.started > fatal);
      await until(
        'its end to be noted',
        async () => (await readDeliveries(site.store, 'tickets')).open.length === 0,
      );
      expect(new Set(all().map(({ id }) => id)).size).toBe(2);
      await kill();
    },
  );
});
