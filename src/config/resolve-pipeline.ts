import { PortolanError } from '../model/errors/errors';
import type { DuePromotionInput, GroupToPromote, PromotionInput } from '../model/release/promotion-input';
import type { ReleaseManifest } from '../model/release/release';
import type { ReleaseInput } from '../model/release/release-input';
import type { Route } from '../model/transfer/route';
import type { Config, PipelineConfig, StageConfig } from './config';
import { adhocBackup, named, resolveRestore } from './resolve-route';

/**
 * The source of a pipeline's releases, with the URL in this configuration. Throws PIPELINE_NOT_FOUND,
 * PORTAL_NOT_FOUND.
 */
export function resolveRelease(
  config: Config,
  name: string,
): Pick<ReleaseInput, 'route' | 'stage' | 'groups' | 'settings' | 'categories'> {
  const { groups, stages, settings, categories } = findPipeline(config, name);
  const [first] = stages;
  const [group] = groups;
  if (!first || group === undefined)
    throw new PortolanError(
      'CONFIG_INVALID',
      `pipelines.${name} in ${config.path} has no stages or no groups.`,
    );
  return {
    route: { ...adhocBackup(config, { from: first.portal, group: groupIdOf(first, group) }), name },
    stage: first.name,
    groups: groups.map((each) => ({ name: each, groupId: groupIdOf(first, each) })),
    settings,
    categories,
  };
}

/** The target and options of a promotion. */
export type ResolvedPromotion = Pick<
  PromotionInput,
  | 'route'
  | 'stage'
  | 'release'
  | 'groups'
  | 'settings'
  | 'categories'
  | 'onFailure'
  | 'placementRules'
  | 'map'
>;

/**
 * The input of a promotion to a stage, by this configuration. Throws PIPELINE_NOT_FOUND, STAGE_NOT_FOUND,
 * PORTAL_NOT_FOUND, and PROMOTION_REFUSED if the release lacks a group of the pipeline.
 */
export function resolvePromotion(
  config: Config,
  name: string,
  stageName: string,
  release: Pick<ReleaseManifest, 'id' | 'sha256' | 'source' | 'groups' | 'settings' | 'categories'>,
  { planOnly = false }: { readonly planOnly?: boolean } = {},
): ResolvedPromotion {
  const pipeline = findPipeline(config, name);
  const stage = findStage(config, pipeline, stageName);
  const { portal, url } = release.source;
  const groups = pipeline.groups.map((each): GroupToPromote => {
    const held = release.groups.find((one) => one.name === each);
    if (!held)
      throw new PortolanError(
        'PROMOTION_REFUSED',
        `${release.id} has no group "${each}", which pipelines.${name}.groups in ${config.path} lists.`,
        { hint: `Create a release with this group: portolan release create ${name}` },
      );
    return {
      name: each,
      groupId: groupIdOf(stage, each),
      from: { portal, url, groupId: held.groupId },
      snapshotId: held.snapshotId,
    };
  });
  const [first] = groups;
  const from = { name, source: { portal, url, groupId: first?.from.groupId ?? '' } };
  const { onFailure, owners, map } = stage;
  return {
    route: routeToStage(config, from, stage, first?.groupId ?? '', planOnly),
    stage: stageName,
    release: { id: release.id, sha256: release.sha256 },
    groups,
    settings: stage.settings && release.settings !== undefined,
    categories: stage.categories && release.categories !== undefined,
    onFailure,
    placementRules: owners ? { owners } : {},
    ...(map && { map }),
  };
}

/**
 * The target and options of a promotion whose release is not known yet, by this configuration. Throws
 * PIPELINE_NOT_FOUND, STAGE_NOT_FOUND, PORTAL_NOT_FOUND.
 */
export function resolveDuePromotion(
  config: Config,
  name: string,
  stageName: string,
): Pick<DuePromotionInput, 'route' | 'stage'> {
  const pipeline = findPipeline(config, name);
  const stage = findStage(config, pipeline, stageName);
  const from = { name, source: resolveRelease(config, name).route.source };
  const into = groupIdOf(stage, pipeline.groups[0] ?? '');
  return { route: routeToStage(config, from, stage, into), stage: stageName };
}

function routeToStage(
  config: Config,
  from: Parameters<typeof resolveRestore>[1],
  { portal, data, approval }: StageConfig,
  into: string,
  planOnly?: boolean,
): Route {
  const route = resolveRestore(config, from, { to: portal, into, overwrite: true, data, planOnly });
  return { ...route, options: { ...route.options, approval } };
}

/** Throws STAGE_NOT_FOUND with the defined names. */
export function findStage({ path }: Config, { name, stages }: PipelineConfig, wanted: string): StageConfig {
  const found = stages.find((each) => each.name === wanted);
  if (found) return found;
  const known = stages.map((each) => each.name).join(', ');
  throw new PortolanError(
    'STAGE_NOT_FOUND',
    `pipelines.${name} in ${path} has no stage "${wanted}"; defined: ${known}.`,
  );
}

/** Throws PIPELINE_NOT_FOUND with the defined names. */
export const findPipeline = (config: Config, name: string): PipelineConfig =>
  named(config, 'pipeline', config.pipelines, name);

/** The ID of a stage's group; the file checks ensure that it exists. */
export const groupIdOf = ({ groups }: StageConfig, name: string): string => groups[name] ?? '';
