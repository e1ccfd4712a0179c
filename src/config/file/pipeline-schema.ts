import { z } from 'zod';
import { checks } from './check-schema';
import { duration, name, portalId } from './plain-values';

/** `mapProblems` checks the keys and values. */
const mapped = (what: 'URL' | 'item id') =>
  z
    .record(
      z.string(),
      z.string().meta({
        form: what === 'URL' ? what : 'item ID',
        description:
          what === 'URL'
            ? 'replaces the URL NAME, also at the start of longer ones, in imported data; NAMEs cannot contain each other'
            : 'replaces the item ID NAME, likewise',
      }),
    )
    .default({});
const user = z.string().min(1).max(128);

const owners = z.strictObject({
  default: user.optional().meta({
    form: 'user name',
    unset: 'user of the same name',
    description: 'owner of other new items',
  }),
  map: z
    .record(
      user,
      user.meta({
        form: 'user name',
        description: 'owner of new items that NAME owns in the first stage',
      }),
    )
    .default({}),
});

const stage = z.strictObject({
  portal: z
    .string()
    .min(1)
    .meta({ form: 'portal', description: 'portal, used by no other stage of the pipeline' }),
  groups: z.record(name, portalId('group id').describe('existing group, one for each group of the pipeline')),
  after: name.optional().meta({
    form: 'stage',
    unset: 'previous stage',
    description: 'stage that releases come from; the first stage makes them',
  }),
  checks,
  map: z.strictObject({ urls: mapped('URL'), items: mapped('item id') }).prefault({}),
  owners: owners.optional(),
  soak: duration
    .default(0)
    .meta({ unset: '`0d`' })
    .describe('minimum time since verification in the previous stage'),
  onFailure: z
    .enum(['park', 'rollback'])
    .default('park')
    .describe('on failure after importing: wait for a decision, or restore the stage'),
  onWindowClose: z
    .enum(['wait', 'finish'])
    .default('wait')
    .describe('if a window closes after writes: `wait` finishes the group and continues in the next window'),
  approval: z.enum(['none', 'ask', 'required']).default('ask').describe('as for routes'),
  data: z.enum(['keep', 'replace']).default('keep').describe('data of existing hosted layers'),
  settings: z.boolean().default(false).describe('apply the portal settings of releases'),
  categories: z.boolean().default(false).describe('apply the content category schema of releases'),
});

/**
 * A pipeline of portolan.yaml. `pipelineProblems` checks its names, so that one message lists every problem.
 */
export const pipeline = z.strictObject({
  groups: z.array(name).min(1, 'names no group').meta({
    form: 'names',
    description: 'names for the groups of [a release](../guide/promotions.md), dependencies first',
  }),
  settings: z.boolean().default(false).describe('releases include portal settings'),
  categories: z.boolean().default(false).describe('releases include the content category schema'),
  stages: z.record(name, stage),
});
export type PipelineFile = z.infer<typeof pipeline>;
