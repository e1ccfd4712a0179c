import { z } from 'zod';
import { name, portalId } from './plain-values';

const stage = z.strictObject({
  portal: z
    .string()
    .min(1)
    .meta({ form: 'name of a portal', description: 'where the stage lies; each stage has one of its own' }),
  groups: z.record(
    name,
    portalId('group id').describe(
      "its group for a name of the pipeline's, which must exist; one for each of them",
    ),
  ),
  after: name.optional().meta({
    form: 'name of a stage',
    unset: 'the stage above it',
    description: 'the stage that a release comes from; the first one is where releases are made',
  }),
});

/**
 * A pipeline of portolan.yaml. `pipelineProblems` sees to what its names mean, so that all that is wrong is told at
 * once.
 */
export const pipeline = z.strictObject({
  groups: z.array(name).min(1, 'names no group').meta({
    form: 'list of names',
    description:
      'what [a release](../guide/releases.md) holds: names for its groups, in their order; what depends on something comes after it',
  }),
  settings: z
    .boolean()
    .default(false)
    .describe('a release holds the settings of the portal where it is made'),
  categories: z
    .boolean()
    .default(false)
    .describe('a release holds the category schema of the portal where it is made'),
  stages: z.record(name, stage),
});
export type PipelineFile = z.infer<typeof pipeline>;
