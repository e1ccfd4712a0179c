import { z } from 'zod';
import { rights } from '../model/rights';
import { identities } from '../model/run/signature';
import { freeze } from './freezes';
import { operation } from './operation';
import { runRow } from './run-row';

/** What a worker lacks: a secret, or this configuration's store and portals. */
export const unableCodes = ['SECRET_UNREADABLE', 'CONFIG_MISMATCH'] as const;

const lastGood = z.object({
  id: z.string(),
  takenAt: z.string(),
  confirmedAt: z.string().optional().describe('when its group was last found unchanged'),
  goodAt: z.string().optional().describe('when its age starts; absent if unknown'),
  ahead: z.literal(true).optional().describe('dated in the future, so its age is unknown'),
});

const nextStart = z.object({
  schedule: z.string(),
  kind: z.string(),
  route: z.string().optional(),
  at: z.string(),
});

/** The status, on one screen. */
export const statusView = z.object({
  temporal: z.object({ address: z.string(), answers: z.boolean() }),
  workers: z.array(z.string()).describe('workers that take tasks; none if Temporal cannot be reached'),
  unable: z
    .object({ code: z.enum(unableCodes), message: z.string(), hint: z.string() })
    .optional()
    .describe('what the workers cannot do for this configuration, and how to fix it'),
  running: z.array(runRow),
  waiting: z.array(runRow).describe('runs waiting for approval'),
  parked: z.array(runRow).describe('parked runs'),
  failed: z.array(runRow).describe('runs that failed or ended partial in the last 24 hours'),
  overdue: z
    .array(z.object({ route: z.string(), lastGood: lastGood.optional(), maxAgeMs: z.number().optional() }))
    .describe('routes whose last good snapshot is older than their `maxAge`'),
  rules: z
    .array(
      z.object({
        rule: z.string().describe('`PORTAL/RULE`'),
        groups: z.number().describe('groups of its last run'),
        overdue: z.number().describe('groups without a good snapshot younger than `maxAge`'),
        failures: z.number().describe('groups that its last run did not back up'),
        failed: z.array(z.string()).describe('the first 20 of these, by title and ID'),
        error: z.string().optional().describe('why its last run failed as a whole'),
      }),
    )
    .describe('rules that leave groups without a good or young backup'),
  unproven: z.array(z.string()).describe('routes with `maxAge` and a good snapshot, but no proven one'),
  frozen: z.array(freeze).describe('portals and stages that are frozen'),
  backedUp: z
    .object({
      routes: z.number().describe('routes with a good snapshot of known age'),
      oldestAt: z
        .string()
        .optional()
        .describe('when the oldest of their last good snapshots was taken or confirmed'),
    })
    .optional()
    .describe('of the routes with `maxAge`; absent if there are none'),
  next: z.array(nextStart).describe('next starts, soonest first'),
  paused: z.array(z.string()).describe('paused schedules that portolan.yaml does not pause'),
  unapplied: z.array(z.string()).describe('schedules that differ between portolan.yaml and the server'),
  notes: z.array(z.string()).describe('what could not be checked, and why'),
});
export type StatusView = z.infer<typeof statusView>;

/** Identity and rights of the caller. */
const who = z.object({
  who: z.string().describe('as in records: key name, `user@portal` or `user@host`'),
  identity: z.enum(identities).describe('source of `who`'),
  rights: z.array(z.enum(rights)).readonly(),
  routes: z.array(z.string()).readonly().optional().describe('routes for rights beyond `view`; absent: all'),
  pipelines: z
    .array(z.string())
    .readonly()
    .optional()
    .describe('pipelines for rights beyond `view`; absent: all'),
  expiresAt: z.string().optional().describe('when the sign-in expires'),
});
export type Who = z.infer<typeof who>;

/** `portolan status` and `portolan whoami`. */
export const statusOperations = {
  readStatus: operation({
    at: 'GET /status',
    summary: 'Show what needs attention',
    input: z.strictObject({}),
    answer: statusView,
    right: 'view',
    needs: 'readable',
  }),
  readWhoami: operation({
    at: 'GET /whoami',
    summary: 'Show your identity and rights',
    input: z.strictObject({}),
    answer: who,
    right: 'view',
    needs: 'store',
  }),
};
