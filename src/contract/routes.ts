import { z } from 'zod';
import { guardResult } from '../model/run/run';
import { planActions, planRow } from '../model/transfer/plan';
import { operation } from './operation';

const name = z.string().min(1).max(200);

const configuredEnd = z.object({ portal: z.string(), group: z.string().describe('group ID') });
const end = z.object({ portal: z.string(), url: z.string(), groupId: z.string() }).loose();

/** Both groups of a route, by their listings and the results of earlier runs. */
const routeDiff = z.object({
  route: z.object({
    name: z.string(),
    source: end,
    target: end,
    options: z.record(z.string(), z.unknown()).describe('options a run would use'),
  }),
  sourceTitle: z.string().optional().describe('title of the group'),
  targetTitle: z.string().optional(),
  rows: z
    .array(
      planRow.extend({
        difference: z.enum(['new', 'changed', 'drifted', 'kept', 'same', 'extra', 'left out']),
        withOverwrite: z
          .enum(planActions)
          .optional()
          .describe('for a kept item: what a sync would do with `overwrite: true`'),
      }),
    )
    .readonly(),
  counts: z.object(Object.fromEntries(planActions.map((action) => [action, z.number()]))),
  unknown: z.string().optional().describe('why the results of earlier runs are unknown'),
});
export type RouteDiff = z.infer<typeof routeDiff>;

/** Results of all preflight checks of a route, a pipeline, or every portal. */
const examined = z.object({
  of: z.enum(['route', 'pipeline', 'portals']),
  name: z.string().optional().describe('route or pipeline'),
  results: z.array(guardResult).readonly(),
});
export type Examined = z.infer<typeof examined>;

/** What is examined: `route transport`. */
export const examinedWords = ({ of, name: which }: Pick<Examined, 'of' | 'name'>): string =>
  of === 'portals' ? 'every portal' : `${of} ${which}`;

/** Routes and portals of portolan.yaml, and what is read from portals without a run: `portolan diff`, `portolan doctor`. */
export const routeOperations = {
  listRoutes: operation({
    at: 'GET /routes',
    summary: 'List the routes in portolan.yaml',
    input: z.strictObject({}),
    answer: z.array(z.object({ name: z.string(), source: configuredEnd, target: configuredEnd })),
    right: 'view',
    needs: 'store',
  }),
  listPortals: operation({
    at: 'GET /portals',
    summary: 'List the portals in portolan.yaml',
    input: z.strictObject({}),
    answer: z.array(z.object({ name: z.string(), url: z.string() })),
    right: 'view',
    needs: 'store',
  }),
  diffRoute: operation({
    at: 'GET /routes/:route/diff',
    summary: 'Show what a sync of a route would change (read-only)',
    input: z.strictObject({
      route: name,
      changes: z.boolean().default(false).describe('also compare what is inside the items'),
    }),
    answer: routeDiff,
    right: 'view',
    needs: 'store',
    turn: true,
  }),
  examine: operation({
    at: 'POST /doctor',
    summary: 'Run preflight checks (no portal writes)',
    input: z.strictObject({ name: name.optional().describe('route or pipeline; default: all portals') }),
    answer: examined,
    // It signs in to every portal and reports the accounts.
    right: 'operate',
    needs: 'store',
    turn: true,
    isLook: true,
    says: (found: Examined) => [examinedWords(found)],
  }),
};
