import { z } from 'zod';

export const findingKinds = [
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

export const verificationCounts = z.object({
  checked: z.number(),
  references: z.number(),
  features: z.number(),
  notChecked: z.number(),
  external: z.number(),
  findings: z.number(),
  ref: z.string(),
});
export type VerificationCounts = z.infer<typeof verificationCounts>;
