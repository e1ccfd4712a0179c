import { z } from 'zod';

const findingKinds = [
  'missing',
  'type-differs',
  'title-differs',
  'not-in-group',
  'owner-differs',
  'access-differs',
  'folder-differs',
  'groups-differ',
  'thumbnail-differs',
  'protection-differs',
  'no-data',
  'count-differs',
  'source-address',
  'broken-reference',
  'not-mapped',
] as const;
export type FindingKind = (typeof findingKinds)[number];

export const finding = z.object({
  itemId: z.string(),
  title: z.string().optional(),
  kind: z.enum(findingKinds),
  path: z.string().optional().describe('JSON path, such as `item.url` or `data.operationalLayers[3].url`'),
  value: z.string().optional(),
  hint: z.string().describe('how to fix it'),
  foundBy: z.string().optional().describe('earlier run, if not checked again'),
});
export type Finding = z.infer<typeof finding>;

/** Something that could not be checked, or that neither portal holds. Never counted as passed. */
export const remark = z.object({
  itemId: z.string(),
  path: z.string().optional(),
  value: z.string().optional(),
  reason: z.string(),
});
export type Remark = z.infer<typeof remark>;

export const verification = z.object({
  /** Items looked at to the end. */
  checked: z.number(),
  /** References followed. */
  references: z.number(),
  /** Rows of hosted layers and tables counted on both sides. */
  features: z.number(),
  notChecked: z.array(remark),
  /** References that neither portal holds. */
  external: z.array(remark),
  findings: z.array(finding),
  /** How many of each list were too many to be kept. */
  leftOut: z
    .object({ notChecked: z.number(), external: z.number(), findings: z.number() })
    .partial()
    .optional(),
});
export type Verification = z.infer<typeof verification>;

export type VerificationCounts = Record<keyof Omit<Verification, 'leftOut'>, number> & { ref: string };

/** What a run has made of an item for good: brought, left on the target by the route's options, or left out by the portal. */
export const settledAs = ['imported', 'kept', 'skipped'] as const;

/** An item as a run left it on both sides: as long as all of this is still so, another run would come to the same. */
const settled = z.object({
  as: z.enum(settledAs),
  /** Why it was kept or skipped. */
  reason: z.string().optional(),
  /** What was in force: options, portals and their releases. */
  terms: z.string(),
  /** Marks of what the source showed before its export, and of what the target showed afterwards. */
  source: z.string(),
  target: z
    .object({
      record: z.string(),
      layers: z.string().optional(),
      /** Of an item with findings: how it stood at the end of the run. */
      stands: z.string().optional(),
    })
    .optional(),
  /** What verification found wrong with it. @default nothing */
  findings: z.array(finding).optional(),
});
export type Settled = z.infer<typeof settled>;

/** What the last run that dealt with an item came to, as far as the listings of both groups do not show it. */
const outcome = z.object({
  runId: z.string(),
  /** It was imported: what both portals said of it then. @format milliseconds since the epoch */
  imported: z.object({ source: z.number().optional(), target: z.number().optional() }).optional(),
  /** The source left it out of its export, by its type. */
  skipped: z.object({ type: z.string(), reason: z.string().optional() }).optional(),
  /** Of a hosted service whose import from a snapshot was verified: marks of its rows there, and on the target after it. */
  rows: z.object({ source: z.string(), target: z.string() }).optional(),
  /** What it weighed in packages, where its record does not tell that; absent where none has shown it. @format bytes */
  bytes: z.number().optional(),
  /** Absent if that cannot be known. */
  settled: settled.optional(),
});
export type Outcome = z.infer<typeof outcome>;

/** Kept in the store per route and target group, by item id. */
export const outcomes = z.record(z.string(), outcome);
export type Outcomes = z.infer<typeof outcomes>;
