import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import fastify, { type FastifyInstance } from 'fastify';
import { serializerCompiler, validatorCompiler } from 'fastify-type-provider-zod';
import { afterEach, expect, it, jest } from '@jest/globals';
import type { Config } from '../../src/config/config';
import type { Caller } from '../../src/service/may';
import { operations } from '../../src/serve/api/operations';
import type { Sources } from '../../src/serve/sources';
import { Turns } from '../../src/serve/caller-limit';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { Secret } from '../../src/secrets/secret';
import { aRow, AStore } from '../domain/snapshot/a-store';
import { until } from '../support/until';

const KEY = 'a key that is long enough to be a key';
const ids = ['one', 'two', 'three'];
const caller = { who: 'key ci', identity: 'key', rights: ['operate'] } satisfies Caller;

let app: FastifyInstance | undefined;
afterEach(async () => {
  jest.restoreAllMocks();
  await app?.close();
});

/** A server whose store has three snapshots, each of a package of which there is always more to be read. */
async function serving(turns: Turns) {
  const site = new AStore(KEY);
  for (const id of ids) await site.take({ id, bytes: `package of ${id}` }, [aRow(`item of ${id}`)]);
  const file = path.join(site.folder, 'store.key');
  writeFileSync(file, KEY);
  const seen = { chunks: 0, opened: 0, closed: 0 };
  const openFile = site.store.openFile.bind(site.store);
  jest.spyOn(site.store, 'openFile').mockImplementation(async (key) => {
    const found = await openFile(key);
    if (!found || !key.endsWith('.epk')) return found;
    const endless = async function* (): AsyncGenerator<Buffer> {
      seen.opened += 1;
      try {
        for (;;) {
          await new Promise(setImmediate);
          seen.chunks += 1;
          yield Buffer.alloc(10);
        }
      } finally {
        seen.closed += 1;
      }
    };
    return { size: found.size, open: () => Readable.from(endless()) };
  });
  const { store } = site;
  const config = { storeKey: new Secret({ created: file }) } as Config;
  const sources = { open: (_, work) => work({ config, store }) } as Sources;
  app = fastify();
  app.setValidatorCompiler(validatorCompiler);
  app.setSerializerCompiler(serializerCompiler);
  app.addHook('onRequest', (request, _reply, done) => {
    request.caller = caller;
    done();
  });
  await app.register(operations(sources, turns));
  await app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = app.server.address() as AddressInfo;
  const ask = (): http.ClientRequest => {
    const asked = http.request({ port, path: '/snapshots/verify', method: 'POST', agent: false });
    asked.setHeader('content-type', 'application/json').on('error', () => {});
    asked.end(JSON.stringify({ snapshots: ids }));
    return asked;
  };
  return { seen, ask, site };
}

it('a verification stops once its caller has left, who then has its turn back', async () => {
  const turns = new Turns();
  const { seen, ask, site } = await serving(turns);
  const asked = ask();
  await until('a package to be read', () => seen.chunks > 10);
  asked.destroy();
  await until('its reading to end', () => seen.closed === 1);
  await until('both turns to be free', () => {
    const leave = [turns.take(caller), turns.take(caller)];
    leave.forEach((each) => each());
    return true;
  });
  expect(seen.opened).toBe(1);
  // Of what was not read to its end nothing is known to be wrong.
  expect((await site.keys()).filter((key) => key.includes('damage'))).toEqual([]);
});
