import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { blows } from '../../harness/blows';
import { kinds } from '../../harness/kinds';
import { Trials } from '../../harness/trial';
import { Wire } from '../../harness/wire';
import { HookReceiver } from '../../support/hook-receiver';

jest.setTimeout(60 * 60_000);

const variable = 'PORTOLAN_TEST_KILLED';
const secret = `whsec_${Buffer.from('planted-secret-of-the-receiver-1').toString('base64')}`;

describe('a message whose worker is killed', () => {
  const receiver = new HookReceiver([secret]);
  let wire: Wire;
  let trials: Trials;
  beforeAll(async () => {
    process.env[variable] = secret;
    receiver.answer = ({ verified: [message] }, time) =>
      message instanceof Object && message.event === 'started' && time < 3 ? 503 : 204;
    wire = await Wire.to(await receiver.open(), { name: () => 'message' });
    const tickets = { webhook: wire.url, secret: { env: variable }, on: ['started', 'succeeded'] };
    trials = await Trials.open({
      ...kinds.sync,
      config: { notify: [{ name: 'tickets', ...tickets }] },
      told: ({ runId }) => {
        const events = receiver.received.flatMap(({ id, verified: [message] }) =>
          message instanceof Object && message.runId === runId ? [[id, message.event]] : [],
        );
        return Object.values(Object.fromEntries(events) as object).sort();
      },
    });
  });
  afterAll(async () => {
    await trials.close();
    await wire.close();
    await receiver.close();
    delete process.env[variable];
  });

  it('arrives under one ID, whichever attempt the kill hits', async () => {
    const traps = [1, 2, 3, 4].flatMap((nth) =>
      (['received', 'processed'] as const).map((point) => ({ operation: 'message', point, nth })),
    );
    expect(
      await trials.struck(
        blows.worker,
        traps.map((trap) => ({ wire, trap })),
      ),
    ).toEqual([]);
  });
});
