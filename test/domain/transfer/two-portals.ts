import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { addPackageItem } from '../../../src/portal/resources/items/add-item';
import { Portal } from '../../../src/portal/client';
import { downloadItemData } from '../../../src/portal/resources/items/download';
import { exportGroup } from '../../../src/portal/resources/group-export';
import { importGroup } from '../../../src/portal/resources/group-import';
import { type Job, readJob } from '../../../src/portal/resources/jobs';
import { releaseFrom } from '../../../src/portal/http/versions';
import type { SimulatorOptions } from '../../../src/simulator/options';
import { builtInUsers } from '../../../src/simulator/seed/users';
import { transportGroupId, transportTargetGroupId } from '../../../src/simulator/seed/transport';
import { type Simulator, startSimulator } from '../../../src/simulator/simulator';

/** Two simulated portals with the group `Transport`, and the means to carry items between them. */
export interface TwoPortals {
  readonly source: Simulator;
  readonly target: Simulator;
  /** A client of either portal as one of its users. */
  connect(end: 'source' | 'target', user: keyof typeof builtInUsers): Portal;
  /** Exports items of the group and imports them, overwriting, as the owner of the groups. */
  carry(itemIds: readonly string[]): Promise<void>;
  close(): Promise<void>;
}

export async function startTwoPortals(
  options: { source?: Partial<SimulatorOptions>; target?: Partial<SimulatorOptions> } = {},
): Promise<TwoPortals> {
  const folder = await mkdtemp(join(tmpdir(), 'portolan-checks-'));
  const start = (
    name: string,
    version: string,
    seed: string,
    more?: Partial<SimulatorOptions>,
  ): Promise<Simulator> =>
    startSimulator({ name, version, seed, state: join(folder, name), jobPolls: 1, ...more });
  const source = await start('staging', '11.2', 'transport', options.source);
  const target = await start('production', '11.4', 'transport-target', options.target);
  const portals: Portal[] = [];

  const connect: TwoPortals['connect'] = (end, user) => {
    const { username, password } = builtInUsers[user];
    const simulator = end === 'source' ? source : target;
    const portal = new Portal({
      name: simulator.settings.name,
      url: simulator.url,
      auth: { type: 'password', username, secret: () => Promise.resolve(password) },
    });
    portals.push(portal);
    return portal;
  };

  return {
    source,
    target,
    connect,
    async carry(itemIds) {
      const from = connect('source', 'owner');
      const to = connect('target', 'owner');
      const started = await exportGroup(from, transportGroupId, {
        itemIdList: itemIds,
        async: true,
        version: releaseFrom('11.2'),
      });
      const exported = await ended(from, started);
      const { body } = await downloadItemData(
        from,
        String((exported.result as Record<string, unknown> | undefined)?.['itemId']),
        { from: 0 },
      );
      const bytes = await buffer(body);
      const { id } = await addPackageItem(to, {
        username: builtInUsers.owner.username,
        title: 'package',
        tags: ['epk'],
        filename: 'package.epk',
        version: releaseFrom('11.4'),
        file: { size: bytes.length, open: (first, end) => Readable.from([bytes.subarray(first, end)]) },
      });
      const request = { itemId: id, overwriteExistingItems: true, async: true, version: releaseFrom('11.4') };
      await ended(to, await importGroup(to, transportTargetGroupId, request));
    },
    async close() {
      await Promise.all(portals.map((portal) => portal.close()));
      await Promise.all([source.close(), target.close()]);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function ended(portal: Portal, started: { kind: string; jobId?: string; key?: string }): Promise<Job> {
  if (started.jobId === undefined) throw new Error(`no job came but ${started.kind}`);
  for (;;) {
    const job = await readJob(portal, undefined, started.jobId, { key: started.key });
    if (job.phase === 'failed') throw new Error(`job ${job.status}: ${job.messages.join(' ')}`);
    if (job.phase === 'succeeded') return job;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
