import type { ReleaseInput } from '../model/release/release-input';
import { PortolanError } from '../model/errors/errors';
import type { Config, PipelineConfig, StageConfig } from './config';
import { adhocBackup, named } from './resolve-route';

/** What a release of a pipeline is made of, with the address as this configuration has it. Throws PIPELINE_NOT_FOUND, PORTAL_NOT_FOUND. */
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
      `pipelines.${name} in ${config.path} names no stage, or no group.`,
    );
  return {
    route: { ...adhocBackup(config, { from: first.portal, group: groupIdOf(first, group) }), name },
    stage: first.name,
    groups: groups.map((each) => ({ name: each, groupId: groupIdOf(first, each) })),
    settings,
    categories,
  };
}

/** Throws PIPELINE_NOT_FOUND with the names that there are. */
export const findPipeline = (config: Config, name: string): PipelineConfig =>
  named(config, 'pipeline', config.pipelines, name);

/** The id of a stage's group; the file was checked to name one. */
export const groupIdOf = ({ groups }: StageConfig, name: string): string => groups[name] ?? '';
