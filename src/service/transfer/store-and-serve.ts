import type { Config } from '../../config/config';
import { PortolanError } from '../../model/errors/errors';
import type { GuardResult } from '../../model/run/run';
import { bytesText } from '../../model/text/words';
import { storeClock } from '../../store/open-store';
import type { StoredSources } from '../run/run-sources';
import { clockGuard } from './clocks';
import { refusalOf } from './examination';

/** @format milliseconds */
const ANSWERS_WITHIN_MS = 5_000;

/** Checks the store and its clock. */
export async function ofStore({ config, store }: StoredSources): Promise<GuardResult[]> {
  try {
    await store.check();
    const room = await store.room();
    const free = room === undefined ? '' : `, ${bytesText(room)} free`;
    const before = Date.now();
    const clock = await storeClock(config.store);
    const after = Date.now();
    return [
      {
        name: 'store',
        verdict: 'pass',
        saw: `${store.where}: can be written, read, listed and deleted from${free}`,
      },
      clockGuard('clock of the store', clock, { before, after }),
    ];
  } catch (thrown) {
    return [refusalOf('store', PortolanError.from(thrown))];
  }
}

/** Checks a server if the configuration has its URL, keys or sign-in. */
export async function ofServe({ serve }: Config): Promise<GuardResult[]> {
  const isMeant = serve.url !== undefined || serve.keys.size > 0 || serve.signIn !== undefined || serve.open;
  if (!isMeant) return [];
  const base = serve.url ?? `${serve.tls ? 'https' : 'http'}://${serve.address}`;
  const name = 'serve';
  try {
    const url = `${base.replace(/\/+$/, '')}/readyz`;
    const { status } = await fetch(url, {
      redirect: 'manual',
      signal: AbortSignal.timeout(ANSWERS_WITHIN_MS),
    });
    if (status === 200) return [{ name, verdict: 'pass', saw: `${base} responds and is ready` }];
    return [
      {
        name,
        verdict: 'refuse',
        saw: `${base} responds with ${status}`,
        needs: '200: it reaches Temporal and the store, and a worker accepts work',
        todo: 'Fix what is listed above, or check the log of: portolan serve',
      },
    ];
  } catch (thrown) {
    const { cause } = thrown as { cause?: { code?: string } };
    return [
      {
        name,
        verdict: 'refuse',
        saw: `no response at ${base} (${cause?.code ?? 'no response'})`,
        needs: 'a running server; portolan.yaml has keys or sign-in for one',
        todo: 'Start it: portolan serve. Or remove serve from portolan.yaml. For your own certificate, set NODE_EXTRA_CA_CERTS.',
      },
    ];
  }
}
