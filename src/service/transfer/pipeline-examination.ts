import type { Config, PipelineConfig } from '../../config/config';
import { groupIdOf } from '../../config/resolve-pipeline';
import { resolveRoute } from '../../config/resolve-route';
import type { GuardResult } from '../../model/run/run';
import { stageName } from '../../model/release/promotion-input';
import { routeOfGroup } from '../../model/release/release-input';
import { type Examination, examineMap, examineOwners, examinePortal, examineRoute } from './examination';

/**
 * Every guard that is asked where the groups of a pipeline go from its first stage into each of the others. What is the
 * same for all groups is said once; what is a group's own is named with it.
 */
export async function examinePipeline(
  config: Config,
  { name, groups, stages }: PipelineConfig,
  examination: Examination,
): Promise<GuardResult[]> {
  const [first, ...others] = stages;
  if (!first) return [];
  if (others.length === 0) return await examinePortal(first.portal, examination);
  const found = new Map<string, { readonly result: GuardResult; readonly of: Set<string> }>();
  for (const stage of others)
    for (const group of groups) {
      const [from, into] = [first, stage].map((each) => groupIdOf(each, group));
      const ends = { from: first.portal, group: from ?? '', to: stage.portal, into: into ?? '' };
      const route = { ...resolveRoute(config, ends, { overwrite: true }), name: routeOfGroup(name, group) };
      for (const result of await examineRoute(route, examination, stageName(name, stage.name))) {
        const key = JSON.stringify(result);
        const known = found.get(key) ?? { result, of: new Set() };
        found.set(key, known);
        known.of.add(group);
      }
    }
  const ofGroups = [...found.values()].map(({ result, of }) =>
    of.size === groups.length ? result : { ...result, name: `${[...of].join(', ')}: ${result.name}` },
  );
  const ofStages = await Promise.all(
    others.map(async (stage) => [
      ...(await examineOwners(stage, examination)),
      ...(await examineMap(stage, examination)),
    ]),
  );
  return [...ofGroups, ...ofStages.flat()];
}
