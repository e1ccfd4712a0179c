import { describe, expect, it } from '@jest/globals';
import type { RunRecord } from '../../src/model/run/run';
import type { RequestLogEntry } from '../../src/simulator/request-log';
import { transportTargetGroupId } from '../../src/simulator/seed/transport';
import { Portolan } from '../support/child';
import { Site } from '../support/site';
import { until } from '../support/until';

/** What an attempt asks a portal last before it notes that it will send a request. */
interface Moment {
  readonly side: 'source' | 'target';
  readonly asks: string;
  /** @default it is what the run asks first of that kind */
  readonly since?: string;
}

/** A sync whose worker is frozen at that moment, and wakes when another worker has finished the run. */
async function syncWithFrozenWorker({ side, asks, since }: Moment): Promise<{
  readonly record: RunRecord;
  readonly requests: readonly RequestLogEntry[];
  readonly packages: readonly string[];
}> {
  const site = await Site.open({
    worker: false,
    // Who may approve is asked of the target right before an import.
    portals: { policy: { approvers: { group: transportTargetGroupId } } },
  });
  const workers: Portolan[] = [];
  const startWorker = async (): Promise<Portolan> => {
    const worker = new Portolan(['worker'], { cwd: site.folder });
    workers.push(worker);
    await worker.says(' polls ');
    return worker;
  };
  try {
    const { faults } = site[side];
    const after = since === undefined ? undefined : { operation: since };
    faults.add({ match: { operation: asks }, since: after, nth: 1, do: 'hold' });
    const frozen = await startWorker();
    const handle = await site.start();
    await until('a worker that is about to send', () => faults.holding > 0);
    frozen.child.kill('SIGSTOP');
    faults.release();
    await startWorker();
    const { record } = await site.ended(handle);
    frozen.child.kill('SIGCONT');
    // A worker ends when the calls that it had in hand have ended.
    frozen.child.kill('SIGTERM');
    await frozen.ended;
    return { record, requests: site[side].requests(), packages: site.packages() };
  } finally {
    for (const { child } of workers) child.kill('SIGKILL');
    await Promise.all(workers.map(({ ended }) => ended));
    await site.close();
  }
}

describe('a worker that is frozen until another one has taken over', () => {
  it.concurrent('exports nothing a second time when it wakes', async () => {
    const { record, requests, packages } = await syncWithFrozenWorker({
      side: 'source',
      asks: 'user.content',
    });
    expect(record.status).toBe('succeeded');
    expect(requests.filter(({ operation }) => operation === 'group.export')).toHaveLength(1);
    expect(packages).toEqual([]);
  });

  it.concurrent('imports nothing a second time when it wakes [P01]', async () => {
    const { record, requests, packages } = await syncWithFrozenWorker({
      side: 'target',
      asks: 'group.users',
      since: 'group.import',
    });
    expect(record.status).toBe('succeeded');
    const imports = requests.filter(
      ({ operation, params }) => operation === 'group.import' && params['previewOnly'] === 'false',
    );
    expect(imports).toHaveLength(1);
    expect(packages).toEqual([]);
  });
});
