import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { connectTemporal } from '../../src/temporal/connection';
import { findTemporalCli } from '../../src/temporal/dev-server/temporal-cli';
import { type TemporalServer, startTemporalServer } from '../../src/temporal/dev-server/temporal-server';

let folder: string;
let server: TemporalServer;
beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'portolan-closed-'));
  server = await startTemporalServer({
    cli: (await findTemporalCli()).path,
    address: '127.0.0.1:0',
    logFile: path.join(folder, 'temporal.log'),
  });
});
afterAll(async () => {
  await server.stop();
  await rm(folder, { recursive: true, force: true });
});

it('a connection that is closed is no longer passed on to what goes on in the process', async () => {
  const { connection } = await connectTemporal({ address: server.address }, 'default');
  const kept = () => connection.callContextStorage.getStore();
  await connection.withDeadline(Date.now() + 60_000, async () => {
    expect(kept()).toBeDefined();
    await connection.close();
    expect(kept()).toBeUndefined();
  });
});

it('a call that its server left without an answer ends with its connection, and nothing else does', async () => {
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
});
