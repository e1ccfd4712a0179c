import { createHash } from 'node:crypto';
import { statfs } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { SimulatorOptions } from '../../src/simulator/options';
import { bigGroupId, bigItemId, emptyGroupId } from '../../src/simulator/seed/seeds';
import type { Simulator } from '../../src/simulator/simulator';
import { type Ended, Site } from '../support/site';
import { cutCommit, cutDownloads, cutParts, partsSentAgain, played } from './cut-connection';
import { WorkerProcess } from './worker-process';

const GB = 1024 ** 3;
/** It lies on the source, in the store and on the target, there in parts while they are joined; and a little more. */
const NEEDED_GB = 6;

interface CutConnection {
  /** Words of a title. */
  readonly to: string;
  readonly source: Partial<SimulatorOptions>;
  /** What the download may move at most. @format packages */
  readonly most: number;
  readonly workerKilled?: boolean;
}

/** Each cut comes after a quarter of a package, so that three of them and the rest are one. */
const cuts = [GB / 4, GB / 4, GB / 4];

const connections: readonly CutConnection[] = [
  { to: 'a portal that offers Range', source: {}, most: 1.2 },
  {
    to: 'a portal that offers Range, while the worker is killed in the middle of either transfer',
    source: {},
    most: 1.2,
    workerKilled: true,
  },
  {
    to: 'a portal that redirects to a store, which offers Range and tells no length',
    source: { redirect: true, noLength: true },
    most: 1.2,
  },
  { to: 'a portal without Range', source: { noRange: true }, most: 1.8 },
  {
    to: 'a portal that redirects to a store, which neither offers Range nor tells a length',
    source: { noRange: true, redirect: true, noLength: true },
    most: 1.8,
  },
];

jest.setTimeout(600_000);

beforeAll(async () => {
  const { bavail, bsize } = await statfs(os.tmpdir());
  if (bavail * bsize < NEEDED_GB * GB) {
    throw new Error(`this needs ${NEEDED_GB} GB in ${os.tmpdir()}; name another folder in TMPDIR`);
  }
});

describe.each(connections)(
  'a package of 1 GB over a connection that is cut three times, to $to',
  (connection) => {
    let site: Site;
    let worker: WorkerProcess;
    let ended: Ended;
    let workers = 1;

    const config = (): string => path.join(site.folder, 'portolan.yaml');
    /** Kills the worker once it is so, and starts another. */
    const kill = async (isSo: () => boolean): Promise<void> => {
      while (!isSo()) await sleep(20);
      await worker.kill();
      worker = await WorkerProcess.start(config());
      workers += 1;
    };

    beforeAll(async () => {
      const data = connection.source.redirect ? 'storage.data' : 'item.data';
      site = await Site.open({
        worker: false,
        source: {
          ...connection.source,
          seed: 'big',
          seedBytes: GB,
          maxItemBytes: 2 * GB,
          faults: { rules: cutDownloads(cuts, data) },
        },
        target: {
          seed: 'empty',
          maxItemBytes: 2 * GB,
          faults: { rules: [...cutParts(5, 13, 22), ...cutCommit('before', 'after')] },
        },
        groups: { source: bigGroupId, target: emptyGroupId },
        config: { limits: { itemBytes: 2 * GB } },
      });
      const { source, target } = site;
      worker = await WorkerProcess.start(config());
      const handle = await site.start();
      if (connection.workerKilled) {
        await kill(() => source.traffic().sent > 0.6 * GB);
        await kill(() => target.traffic().received > 0.5 * GB);
      }
      ended = await site.ended(handle);
      const inGB = (bytes: number): string => `${(bytes / GB).toFixed(2)} GB`;
      process.stderr.write(
        `${connection.to}: ${inGB(source.traffic().sent)} down, ${inGB(target.traffic().received)} up\n`,
      );
    });
    afterAll(async () => {
      await worker?.stop();
      await site?.close();
    });

    it('arrives as it was', async () => {
      const { source, target } = site;
      expect(ended.record.error).toBeUndefined();
      expect(ended.record.status).toBe('succeeded');
      const dataOf = (portal: Simulator): Readable =>
        portal.world.files.readData(portal.world.items.get(bigItemId)!);
      expect(await sha256(dataOf(target))).toBe(await sha256(dataOf(source)));
      expect(site.packages()).toEqual([]);
    });

    it(`moves at most ${connection.most} times its size down`, () => {
      expect(played(site.source.requests(), 'item.data', 'storage.data')).toBe(cuts.length);
      expect(workers).toBe(connection.workerKilled ? 3 : 1);
      expect(site.source.traffic().sent).toBeGreaterThan(GB);
      expect(site.source.traffic().sent).toBeLessThan(connection.most * GB);
    });

    it('goes up without sending parts again, but what a killed worker lost, and is committed once', () => {
      const { target } = site;
      expect(played(target.requests(), 'item.addPart')).toBe(3);
      expect(played(target.requests(), 'item.commit')).toBe(2);
      // Of parts that end as it is killed, a worker does not know that the portal has them.
      if (!connection.workerKilled) expect(partsSentAgain(target.requests())).toEqual([]);
      expect(target.traffic().received).toBeGreaterThan(GB);
      expect(target.traffic().received).toBeLessThan(1.2 * GB);
    });
  },
);

async function sha256(stream: Readable): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of stream) hash.update(chunk as Buffer);
  return hash.digest('hex');
}
