import { setTimeout as sleep } from 'node:timers/promises';
import type { Site, SiteOptions } from './site';

/** A moment in a run's life at which something can be killed. */
export interface Moment {
  readonly when: string;
  readonly route: 'free' | 'strict';
  /** How the portals play, so that the moment lasts. */
  readonly play: SiteOptions;
  /** Resolves when the run is in the moment. */
  readonly reached: (site: Site, runId: string) => Promise<void>;
  /** What somebody does, once Portolan is back, so that the run goes on. */
  readonly goOn?: (site: Site, runId: string) => Promise<void>;
}

/** Long enough for a kill to fall into it, short enough to be waited for. */
const lookUps = 5;
const slowBytesPerSecond = 6_000_000;
/** More than a heartbeat may be late; a worker that lives on gets its answer well within a minute. */
const partDelayMs = 25_000;

export const moments: readonly Moment[] = [
  {
    when: 'it waits for the export',
    route: 'free',
    play: { source: { jobPolls: lookUps } },
    reached: (site) => site.source.isAsked('job', 2),
  },
  {
    when: 'it downloads the package',
    route: 'free',
    play: {
      source: {
        faults: {
          rules: [{ match: { operation: 'item.data' }, times: 1, do: { slow: slowBytesPerSecond } }],
        },
      },
    },
    async reached(site) {
      await site.source.isAsked('item.data');
      await sleep(2_000);
    },
  },
  {
    when: 'it uploads the package',
    route: 'free',
    play: {
      target: {
        faults: {
          rules: [{ match: { operation: 'item.addPart' }, nth: [2, 3], do: { delay: partDelayMs } }],
        },
      },
    },
    reached: (site) => site.target.isAsked('item.addPart'),
  },
  {
    when: 'it waits for an approval',
    route: 'strict',
    play: {},
    reached: (site, runId) => site.waits(runId),
    async goOn(site, runId) {
      const hash = (await site.show(runId)).plan?.hash ?? '';
      const { status, stderr } = await site.run('run', 'approve', runId, '--plan', hash);
      if (status !== 0) throw new Error(`approve ended ${status}: ${stderr}`);
    },
  },
  {
    when: 'it waits for the import',
    route: 'free',
    play: { target: { jobPolls: lookUps } },
    reached: (site) => site.target.isAsked('job', 2),
  },
];
