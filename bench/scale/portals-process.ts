import path from 'node:path';
import { SeedBuilder } from '../../src/simulator/seed/build';
import { type Simulator, startSimulator } from '../../src/simulator/simulator';
import { serve } from '../child';

const KB = 1024;
/** A search shows at most 10,000 items, so that a portal of 50,000 needs several. */
const TYPES = ['CSV', 'PDF', 'Image', 'KML', 'GeoJson', 'Shapefile', 'Microsoft Word', 'Microsoft Excel'];
const portals: Simulator[] = [];
const asked = new Map<Simulator, number>();

/** A group of a portal; `items` of two kilobytes are planted into it. */
export interface Planted {
  /** Which of the portals. */
  readonly at: number;
  readonly id: string;
  readonly title: string;
  readonly items: readonly string[];
}

/** The simulated portals of one side, in a process of their own. */
const side = {
  /** @param answerMs how long every answer is held @returns their addresses */
  start: async ({
    name,
    count,
    folder,
    answerMs,
  }: {
    readonly name: string;
    readonly count: number;
    readonly folder: string;
    readonly answerMs: number;
  }): Promise<string[]> => {
    for (let at = 0; at < count; at += 1) {
      const portal = await startSimulator({
        name: `${name}-${at}`,
        version: '11.4',
        state: path.join(folder, `${name}-${at}`),
        jobMs: 0,
        jobPolls: 0,
        commitLagMs: 0,
        searchLagMs: 0,
      });
      if (answerMs > 0) portal.faults.add({ match: {}, do: { delay: answerMs } });
      portals.push(portal);
    }
    return portals.map(({ url }) => url);
  },

  plant: (groups: readonly Planted[]): Promise<void> => {
    for (const { at, id, title, items } of groups) {
      const seed = new SeedBuilder(portals[at]!.world);
      seed.group(id, title);
      items.forEach((item, number) =>
        seed.generated(
          {
            id: item,
            title: `${title} ${number}`,
            type: TYPES[number % TYPES.length]!,
            name: 'counts',
            groups: [id],
          },
          2 * KB,
          1 + (number % 200),
        ),
      );
    }
    return Promise.resolve();
  },

  /** Holds every answer from now on, and forgets what was asked before. */
  slow: (answerMs: number): Promise<void> => {
    for (const portal of portals) {
      portal.faults.add({ match: {}, do: { delay: answerMs } });
      asked.set(portal, portal.requests().length);
    }
    return Promise.resolve();
  },

  /** Requests since then. */
  asked: (): Promise<number> =>
    Promise.resolve(portals.reduce((sum, each) => sum + each.requests().length - (asked.get(each) ?? 0), 0)),
};
export type PortalsProcess = typeof side;

serve(side);
