import { z } from 'zod';

/** What becomes of an item if it is lost now, best first. */
export const coverageStates = ['protected', 'stale', 'unprotected', 'ungrouped', 'unsupported'] as const;
const coverageState = z.enum(coverageStates);
export type CoverageState = z.infer<typeof coverageState>;

/** An item of a portal. */
const coveredItem = z.object({
  itemId: z.string(),
  title: z.string(),
  type: z.string(),
  owner: z.string(),
  size: z.number().describe('bytes; 0 or -1 for services'),
  state: coverageState.describe(
    '`protected`: in a snapshot younger than `maxAge`; `stale`: in none that young, although a rule or route backs up its group; `unprotected`: exportable, in groups that nothing backs up; `ungrouped`: exportable, in no group; `unsupported`: its type cannot be exported',
  ),
  groups: z.array(z.string()).describe('IDs of its groups'),
  rule: z.string().optional().describe('the rule `PORTAL/RULE`, or the route, that backs it up'),
  lastBackup: z.string().optional().describe('when its newest snapshot was taken or confirmed'),
  reason: z.string().optional().describe('why it is not protected'),
});
export type CoveredItem = z.infer<typeof coveredItem>;

const totals = z.object({
  items: z.number().describe('the sum of the others'),
  protected: z.number(),
  stale: z.number(),
  unprotected: z.number(),
  ungrouped: z.number(),
  unsupported: z.number(),
});

const head = z.object({
  portal: z.string(),
  takenAt: z.string(),
  complete: z.boolean().describe('every item of the portal was listed'),
  totals,
  notes: z.array(z.string()).optional().describe('why it is not complete; absent if it is'),
});

/** Every item of a portal, each once. */
export const coverage = head.extend({ items: z.array(coveredItem) });
export type Coverage = z.infer<typeof coverage>;

/** The same, counted: what the store keeps of it. */
export const coverageSummary = head.extend({
  missing: z
    .array(z.object({ owner: z.string(), type: z.string(), state: coverageState, items: z.number() }))
    .describe('items that could be exported and are not protected'),
});
export type CoverageSummary = z.infer<typeof coverageSummary>;

/** What is missing, by owner and type, most items first. */
export function summaryOf({ items, ...of }: Coverage): CoverageSummary {
  const rows = new Map<string, CoverageSummary['missing'][number]>();
  for (const { owner, type, state } of items) {
    if (state === 'protected' || state === 'unsupported') continue;
    const key = JSON.stringify([owner, type, state]);
    const row = rows.get(key) ?? { owner, type, state, items: 0 };
    rows.set(key, { ...row, items: row.items + 1 });
  }
  return { ...of, missing: [...rows.values()].sort((one, other) => other.items - one.items) };
}

/** Whether everything that can be exported is protected and fresh, as far as all of it is known. */
export const isCovered = ({
  complete,
  totals: { stale, unprotected, ungrouped },
}: CoverageSummary | Coverage) => complete && stale + unprotected + ungrouped === 0;

/** A rule that backs up every group, to be added to a portal of portolan.yaml: in one line, so that it fits any indent. */
export const RULE_SNIPPET =
  "protect: { everything: { groups: all, schedule: { cron: '30 2 * * *' }, backup: { full: 7d, maxAge: 2d, keep: { daily: 14, weekly: 8 } } } }";
