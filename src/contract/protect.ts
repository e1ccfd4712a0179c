import { z } from 'zod';
import { runStatuses } from '../model/run/phase';
import { coverage, coverageSummary } from '../model/snapshot/coverage';
import { groupChange, reasonText } from '../model/run/run';
import { operation } from './operation';
import { begunRun } from './starts';

const failedGroup = z.object({ id: z.string(), title: z.string(), reason: z.string() });

/** How the last run of a rule ended. */
const outcome = z.object({
  runId: z.string(),
  startedAt: z.string(),
  finishedAt: z.string(),
  error: z.string().optional().describe('why the run failed as a whole'),
  groups: z.number(),
  items: z.number(),
  sizeBytes: z.number().describe('of the snapshots'),
  failures: z.number().describe('groups that are not backed up'),
  failed: z.array(failedGroup).readonly().describe('the first 20 of them'),
});

/** A rule that backs up every matching group of a portal. */
const ruleRow = z.object({
  portal: z.string(),
  rule: z.string(),
  groups: z.string().describe("the portal's group search, or `all`"),
  exclude: z.array(z.string()).readonly(),
  concurrency: z.number().describe('groups at a time'),
  schedule: z.object({ cron: z.string(), timezone: z.string() }).optional(),
  maxAgeMs: z.number().optional(),
  matched: z.number().optional().describe('groups at the last look; absent before the first run'),
  overdue: z.number().describe('of these, groups without a good snapshot younger than `maxAge`'),
  last: outcome.optional().describe('the last run that ended'),
});
export type RuleRow = z.infer<typeof ruleRow>;

const ruleDetail = ruleRow.extend({
  runId: z.string().optional().describe('the run that looked last; it may be open'),
  rows: z
    .array(
      z.object({
        groupId: z.string(),
        title: z.string(),
        owner: z.string().optional(),
        status: z.enum(runStatuses).optional().describe('of its backup in that run; absent if not started'),
        runId: z.string().optional(),
        durationMs: z.number().optional(),
        items: z.number().optional(),
        sizeBytes: z.number().optional(),
        snapshotId: z.string().optional(),
        reason: z.string().optional().describe('why it is not backed up'),
        lastGoodAt: z.string().optional().describe('when its last good snapshot was taken or confirmed'),
        overdue: z.boolean(),
      }),
    )
    .readonly()
    .describe('groups that matched at the last look'),
  changes: z.array(groupChange).readonly().describe('what that run found changed'),
  former: z
    .array(
      z.object({
        groupId: z.string(),
        title: z.string(),
        owner: z.string().optional(),
        since: z.string(),
        exists: z.boolean(),
        snapshots: z.number().optional().describe('at the end of the last run; absent until then'),
      }),
    )
    .readonly()
    .describe('groups that no longer match; their snapshots stay'),
});
export type RuleDetail = z.infer<typeof ruleDetail>;

const coverageView = z.object({
  portal: z.string(),
  last: coverageSummary.optional().describe('absent if it was never counted'),
});
export type CoverageView = z.infer<typeof coverageView>;

const rule = z.string().min(1).max(200).describe('`RULE`, or `PORTAL/RULE`');

/** `portolan protect` and its subcommands. */
export const protectOperations = {
  listRules: operation({
    at: 'GET /protect',
    summary: 'List the rules that back up whole portals',
    input: z.strictObject({}),
    answer: z.array(ruleRow),
    right: 'view',
    needs: 'store',
    withinMs: 30_000,
  }),
  readRule: operation({
    at: 'GET /protect/:rule',
    summary: 'Show a rule with every group, its last backup and what changed',
    input: z.strictObject({ rule }),
    answer: ruleDetail,
    right: 'view',
    needs: 'store',
    withinMs: 30_000,
  }),
  listCoverage: operation({
    at: 'GET /coverage',
    summary: 'List what of each portal was not protected when it was last counted',
    input: z.strictObject({}),
    answer: z.array(coverageView),
    right: 'view',
    needs: 'store',
  }),
  readCoverage: operation({
    at: 'GET /portals/:portal/coverage',
    summary: 'Count what of a portal is protected, and name what is not',
    input: z.strictObject({ portal: z.string().min(1).max(200).describe('portal in portolan.yaml') }),
    answer: coverage,
    right: 'view',
    needs: 'store',
    turn: true,
    withinMs: 600_000,
  }),
  startProtect: operation({
    at: 'POST /protect/:rule/runs',
    summary: 'Back up every group that matches a rule now',
    input: z.strictObject({
      rule,
      reason: reasonText.optional().describe('reason, saved with the run'),
    }),
    answer: begunRun,
    right: 'start',
    needs: 'temporal',
    withinMs: 30_000,
    starts: true,
  }),
};
