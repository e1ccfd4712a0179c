import { emptyGroupId, manyGroupId } from '../../src/simulator/seed/seeds';
import { Site, type SiteOptions } from './site';

/** A group of south that the stage `live` has for itself. */
const stageGroupId = 'e0000000000000000000000000000088';

/** A portal north with a few items, and an empty south. */
export const northAndSouth = {
  listed: true,
  source: { seed: 'many', seedItems: 3 },
  target: { seed: 'empty' },
  names: { source: 'north', target: 'south' },
} satisfies SiteOptions;

/** Ends of a route from all of north to south. */
export const ends = {
  source: { portal: 'north', group: manyGroupId },
  target: { portal: 'south', group: emptyGroupId },
};

/** Keys of portolan.yaml under one heading. */
type Keys = Record<string, unknown>;

export interface ServedSiteOptions {
  /** Of `serve`, besides an address with any free port. */
  readonly serve: Keys;
  /** Of the routes, besides their ends; `free` needs no approval, and `asks` overwrites. */
  readonly free?: Keys;
  readonly asks?: Keys;
  /** Items of north. @default 3 */
  readonly seedItems?: number;
  /** Schedules besides `nightly`. */
  readonly schedules?: Keys;
  /** What else portolan.yaml says, under headings of its own. */
  readonly config?: Keys;
  /** Of both portals. */
  readonly portals?: SiteOptions['portals'];
}

/**
 * A site with a server: the portals north and south, the routes `free` and `asks` from one to the other, a schedule
 * `nightly` that is paused, and a pipeline `transport` from the stage `dev` to `live`.
 */
export async function openServedSite(options: ServedSiteOptions): Promise<Site> {
  const { serve, free, asks, schedules, seedItems = 3, portals } = options;
  const site = await Site.open({
    ...northAndSouth,
    source: { seed: 'many', seedItems },
    portals,
    config: {
      serve: { address: '127.0.0.1:0', ...serve },
      routes: {
        free: { ...ends, approval: 'none', ...free },
        asks: { ...ends, overwrite: true, ...asks },
      },
      schedules: {
        nightly: { kind: 'backup', route: 'free', cron: '30 22 * * *', paused: true },
        ...schedules,
      },
      pipelines: {
        transport: {
          groups: ['roads'],
          stages: {
            dev: { portal: 'north', groups: { roads: manyGroupId } },
            live: { portal: 'south', groups: { roads: stageGroupId } },
          },
        },
      },
      ...options.config,
    },
  });
  const { groups } = site.target.world;
  groups.put(stageGroupId, { ...groups.get(emptyGroupId)!, id: stageGroupId });
  await site.serve();
  return site;
}
