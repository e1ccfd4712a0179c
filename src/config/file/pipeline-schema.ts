import { z } from 'zod';
import { checks } from './check-schema';
import { duration, name, portalId } from './plain-values';

/** Exactly what is mapped, and to what, is for `mapProblems` to see to. */
const mapped = (what: 'URL' | 'item id') =>
  z
    .record(
      z.string(),
      z.string().meta({
        form: what,
        description:
          what === 'URL'
            ? 'by an http or https address: what a promotion writes in place of it, and of the beginning of those that lie below it, in the data of items that it has imported; none holds another'
            : 'by the id of an item: the id that a promotion writes in place of it in the data of items that it has imported',
      }),
    )
    .default({});
const user = z.string().min(1).max(128);

const owners = z.strictObject({
  default: user.optional().meta({
    form: "name of a user of the stage's portal",
    unset: 'the user of the same name',
    description: 'who owns what is new there and belongs to nobody whom `map` names',
  }),
  map: z
    .record(
      user,
      user.meta({
        form: "name of a user of the stage's portal",
        description: 'who owns what is new there and belonged to the user NAME in the first stage',
      }),
    )
    .default({}),
});

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
  checks,
  map: z.strictObject({ urls: mapped('URL'), items: mapped('item id') }).prefault({}),
  owners: owners.optional(),
  soak: duration
    .default(0)
    .meta({ unset: '`0d`' })
    .describe('for how long a release must have stood verified in the stage before'),
  onFailure: z
    .enum(['park', 'rollback'])
    .default('park')
    .describe(
      'what becomes of a promotion that fails once something is imported: `park` waits for a person, `rollback` brings the stage back to what it was',
    ),
  onWindowClose: z
    .enum(['wait', 'finish'])
    .default('wait')
    .describe(
      'what becomes of a promotion, or of its way back, that has written something when a window of the portal closes: `wait` ends the group that is under way and goes on in the next window, `finish` goes on to the end',
    ),
  approval: z
    .enum(['none', 'ask', 'required'])
    .default('ask')
    .describe('who says yes to the plan of a promotion; a policy of the portal may ask for more'),
  data: z
    .enum(['keep', 'replace'])
    .default('keep')
    .describe('whether rows of hosted layers that exist are replaced as well'),
  settings: z
    .boolean()
    .default(false)
    .describe('a promotion gives the portal the settings that the release holds'),
  categories: z
    .boolean()
    .default(false)
    .describe('a promotion gives the portal the category schema that the release holds'),
});

/**
 * A pipeline of portolan.yaml. `pipelineProblems` sees to what its names mean, so that all that is wrong is told at
 * once.
 */
export const pipeline = z.strictObject({
  groups: z.array(name).min(1, 'names no group').meta({
    form: 'list of names',
    description:
      'what [a release](../guide/promotions.md) holds: names for its groups, in their order; what depends on something comes after it',
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
