import type { PromotionEntry } from '../../../src/model/release/promotion';
import { type RunRecord } from '../../../src/model/run/run';
import { SeedBuilder } from '../../../src/simulator/seed/build';
import { emptyGroupId, manyGroupId } from '../../../src/simulator/seed/seeds';
import { builtInUsers } from '../../../src/simulator/seed/users';
import type { Simulator } from '../../../src/simulator/simulator';
import { Site, type SiteOptions } from '../../support/site';
import { until } from '../../support/until';
import { typedIn } from '../../support/typed-in';

export const appsGroupId = 'e0000000000000000000000000000077';
export const appItemId = 'e7000000000000000000000000000001';

/** Keys of a stage in portolan.yaml besides its portal and groups. */
type More = Record<string, unknown>;

/**
 * Portals `dev`, `staging` and `live` with a pipeline `transport` of two groups: `roads` with two items, `apps` with a
 * web map. Both later stages come after dev.
 */
export async function openPipeline(
  { staging = {}, live = {} }: { readonly staging?: More; readonly live?: More },
  options: SiteOptions = {},
  pipeline: More & { readonly groups?: readonly ('roads' | 'apps')[] } = {},
) {
  const { groups: names = ['roads', 'apps'] } = pipeline;
  const groupsOf = (ids: Record<string, string>) =>
    Object.fromEntries(names.map((name) => [name, ids[name]]));
  const groups = groupsOf({ roads: emptyGroupId, apps: appsGroupId });
  const site = await Site.open({
    listed: true,
    user: builtInUsers.admin,
    source: { seed: 'many', seedItems: 2 },
    target: { seed: 'empty' },
    third: { name: 'live', seed: 'empty' },
    names: { source: 'dev', target: 'staging' },
    ...options,
    config: {
      routes: {},
      pipelines: {
        transport: {
          ...pipeline,
          groups: names,
          stages: {
            dev: { portal: 'dev', groups: groupsOf({ roads: manyGroupId, apps: appsGroupId }) },
            staging: { portal: 'staging', groups, after: 'dev', ...staging },
            live: { portal: 'live', groups, after: 'dev', ...live },
          },
        },
      },
    },
  });
  for (const { world } of [site.source, site.target, site.third])
    new SeedBuilder(world).group(appsGroupId, 'Apps');
  const app = { id: appItemId, title: 'Closures', type: 'Web Map', groups: [appsGroupId] };
  await new SeedBuilder(site.source.world).file(app, { operationalLayers: [] });
  return site;
}

/** Commands typed in the folder of a site, which is open once they are typed. */
export function commandsIn(site: () => Site) {
  const typed = typedIn(() => site().folder);
  const { json, recordOf } = typed;
  const comesTo = async (runId: string, reached: RunRecord['status'] | 'its end'): Promise<RunRecord> => {
    await until(
      `${runId} to come to ${reached}`,
      () => site().record(runId),
      (record) => (reached === 'its end' ? record?.finishedAt !== undefined : record?.status === reached),
    );
    return await recordOf('run', 'show', runId);
  };
  /** Promotions and rollbacks of a stage, the latest first. */
  const entriesOf = async (stage: string) => {
    const history = json<{ entries: PromotionEntry[] }>(`promote history transport ${stage}`);
    return (await history).entries;
  };
  return { ...typed, comesTo, entriesOf };
}

export const itemsOn = ({ world }: Simulator) => [...world.items.values()].map(({ id }) => id).sort();

/** Requests that imported something, previews aside. */
export const importsOn = (portal: Simulator) =>
  portal
    .requests()
    .filter(({ operation, params }) => operation === 'group.import' && params['previewOnly'] === 'false');
