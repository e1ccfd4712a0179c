import type { Config } from '../../config/config';
import { PortolanError } from '../../model/errors/errors';
import type { GuardResult } from '../../model/run/guard';
import { refusalOf } from './examine-route';
import { requireWorkers, withTemporal } from '../../temporal/session';

/** Whether a sync could start: a server answers, and a worker takes work. */
export async function examineTemporal(config: Config): Promise<GuardResult[]> {
  const { address, taskQueue } = config.temporal;
  try {
    return await withTemporal(config, async (temporal) => {
      const server: GuardResult = { name: 'temporal', verdict: 'pass', saw: `answers at ${address}` };
      try {
        const workers = await requireWorkers(temporal, taskQueue);
        return [server, { name: 'worker', verdict: 'pass', saw: workers.join(', ') }];
      } catch (thrown) {
        return [server, refusalOf('worker', PortolanError.from(thrown))];
      }
    });
  } catch (thrown) {
    return [refusalOf('temporal', PortolanError.from(thrown))];
  }
}
