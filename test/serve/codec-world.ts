import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import pino from 'pino';
import { stringify } from 'yaml';
import { readEncryptionKeys } from '../../src/config/temporal/encryption-keys';
import { loadConfig } from '../../src/config/load-config';
import { hashOfKey } from '../../src/serve/access';
import { startServer } from '../../src/serve/server';
import { SealedTokens } from '../../src/serve/session/seal';
import { Sessions } from '../../src/serve/session/session';
import { connectTemporal } from '../../src/temporal/connection';

/** A server that decrypts for others, and a workflow whose input is encrypted. */
export interface CodecWorld {
  readonly url: string;
  /** A key of `serve.keys`, which may look. */
  readonly key: string;
  /** The cookie of somebody who has signed in. */
  readonly cookie: { readonly name: string; readonly value: string };
  readonly workflowId: string;
  /** Stands in its input alone. */
  readonly words: string;
  close(): Promise<void>;
}

/**
 * @param origin whose pages may ask
 * @param address of Temporal
 * @param host where the server listens
 */
export async function openCodecWorld(
  origin: string,
  address: string,
  host = '127.0.0.1',
): Promise<CodecWorld> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'portolan-codec-'));
  const file = path.join(folder, 'portolan.yaml');
  const key = randomBytes(16).toString('hex');
  await writeFile(path.join(folder, 'key'), randomBytes(32).toString('base64'));
  await writeFile(
    file,
    stringify({
      temporal: {
        address,
        namespace: 'default',
        encryption: { keys: [{ id: '2026-11', key: { file: 'key' } }] },
      },
      portals: {
        staging: {
          url: 'http://127.0.0.1:9/portal/sharing/rest',
          auth: { type: 'token', token: { file: 'key' } },
        },
      },
      serve: {
        address: `${host}:0`,
        keys: { viewer: { sha256: hashOfKey(key) } },
        signIn: { portal: 'staging', appId: 'app', people: [{ users: ['anna'] }] },
        codec: { origins: [origin] },
      },
    }),
  );
  const config = loadConfig(file);
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
    key,
    workflowId,
    words,
    cookie: { name: 'portolan', value: sealed },
    async close() {
      await client.workflow.getHandle(workflowId).terminate();
      await connection.close();
      await server.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
