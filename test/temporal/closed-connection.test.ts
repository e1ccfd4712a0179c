import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { expect, it } from '@jest/globals';
import { connectTemporal } from '../../src/temporal/connection';
import { findTemporalCli } from '../../src/temporal/dev-server/temporal-cli';
import { startTemporalServer } from '../../src/temporal/dev-server/temporal-server';

it('a call that its server left without an answer ends with its connection, and nothing else does', async () => {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'portolan-closed-'));
  const server = await startTemporalServer({
    cli: (await findTemporalCli()).path,
    address: '127.0.0.1:0',
    ui: false,
    logFile: path.join(folder, 'temporal.log'),
  });
  const { client, connection } = await connectTemporal({ address: server.address }, 'default');
  await server.stop();

  const calls = [client.workflow.count(), client.workflow.getHandle('held').result()].map((call) =>
    call.then(
      () => 'answered',
      (thrown: Error) => String((thrown.cause as Error | undefined)?.message ?? thrown.message),
    ),
  );
  await connection.close();
  // Each is answered when it is tried again.
  const answers = await Promise.all(calls);
  const late = client.workflow.count().catch((thrown: Error) => String((thrown.cause as Error).message));

  const words = '1 CANCELLED: The connection was closed before the call was answered';
  expect([...answers, await late]).toEqual([words, words, words]);
  await rm(folder, { recursive: true, force: true });
});
