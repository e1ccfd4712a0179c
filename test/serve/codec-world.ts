import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import pino from 'pino';
import { readEncryptionKeys } from '../../src/config/temporal/encryption-keys';
import { hashOfKey } from '../../src/serve/access';
import { startServer } from '../../src/serve/server';
import { SealedTokens } from '../../src/serve/session/seal';
import { Sessions } from '../../src/serve/session/session';
import { connectTemporal } from '../../src/temporal/connection';
import { aConfig, aPortal } from '../support/config';
import { aFolder } from '../support/folder';

/**
 * A server that decrypts for others, and a workflow whose input is encrypted.
 *
 * @param origin whose pages may ask
 * @param address of Temporal
 * @param host where the server listens
 */
export async function openCodecWorld(origin: string, address: string, host = '127.0.0.1') {
  const folder = aFolder();
  const key = randomBytes(16).toString('hex');
  await writeFile(path.join(folder, 'key'), randomBytes(32).toString('base64'));
  const config = aConfig(
    {
      temporal: {
        address,
        namespace: 'default',
        encryption: { keys: [{ id: '2026-11', key: { file: 'key' } }] },
      },
      portals: { staging: aPortal('staging', { auth: { type: 'token', token: { file: 'key' } } }) },
      serve: {
        address: `${host}:0`,
        keys: { viewer: { sha256: hashOfKey(key) } },
        signIn: { portal: 'staging', appId: 'app', people: [{ users: ['anna'] }] },
        codec: { origins: [origin] },
      },
    },
    folder,
  );
  const { signIn } = config.serve;
  if (!signIn) throw new Error('nobody can sign in');
  const sessions = new Sessions(signIn, await SealedTokens.open(config));
  const { sealed } = await sessions.begin('cookie', sessions.contentOf({ username: 'anna', groups: [] }));
  const server = await startServer(config, pino({ level: 'silent' }));
  const keys = await readEncryptionKeys(config.temporal.encryption);
  const { client, connection } = await connectTemporal({ address }, 'default', keys);
  const [workflowId, words] = [`encrypted-${key}`, `words-that-nobody-else-reads-${key.slice(0, 6)}`];
  await client.workflow.start('nothing', { workflowId, taskQueue: 'nobody', args: [{ words }] });
  return {
    url: server.url,
    /** A key of `serve.keys`, which may look. */
    key,
    workflowId,
    /** Stands in its input alone. */
    words,
    /** Of somebody who has signed in. */
    cookie: { name: 'portolan', value: sealed },
    async close() {
      await client.workflow.getHandle(workflowId).terminate();
      await connection.close();
      await server.close();
    },
  };
}

export type CodecWorld = Awaited<ReturnType<typeof openCodecWorld>>;
