import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { hashOfKey } from '../../src/serve/access';
import { freePorts } from '../../src/temporal/dev-server/address';
import { blows } from '../harness/blows';
import { kinds } from '../harness/kinds';
import { Trials } from '../harness/trial';
import { type Point, Wire } from '../harness/wire';

jest.setTimeout(60 * 60_000);

/** Whatever a server is at, it is killed there often enough. */
const points: readonly Point[] = ['lost', ...Array<Point>(8).fill('received'), 'processed'];

describe('a server that is killed', () => {
  let wire: Wire;
  let trials: Trials;
  beforeAll(async () => {
    const [port] = await freePorts(1);
    const address = `127.0.0.1:${port}`;
    process.env['PORTOLAN_KEY'] = 'planted-key-of-kills';
    const all = { sha256: hashOfKey('planted-key-of-kills'), rights: ['start', 'approve', 'operate'] };
    const name = ({ method, url = '' }: { method?: string; url?: string }) =>
      `${method} ${url.split('/').at(-1)}`;
    wire = await Wire.to(`http://${address}`, { name });
    const server = wire.url.replace(/\/$/, '');
    trials = await Trials.open({
      ...kinds.sync,
      server,
      config: { serve: { address, url: server, keys: { all } } },
      begin: (pair, asks) => [...kinds.sync.begin(pair, asks), '--request-id', `key-${pair.number}`],
    });
  });
  afterAll(async () => {
    await trials.close();
    await wire.close();
    delete process.env['PORTOLAN_KEY'];
  });

  it.each([
    ['starts a run once per key', 'POST syncs'],
    ['approves a plan once, and its run continues', 'POST approve'],
  ])('%s', async (_title, operation) => {
    const moments = points.map((point) => ({ wire, trap: { operation, point, nth: 1 }, asks: true }));
    expect(await trials.struck(blows.serve, moments)).toEqual([]);
  });
});
