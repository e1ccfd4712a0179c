import { z } from 'zod';

const change = z.object({
  field: z.string(),
  before: z.union([z.string(), z.number()]).optional(),
  after: z.union([z.string(), z.number()]).optional(),
});

/** The differences of an item between two states of a group. */
export const itemDiff = z.object({
  itemId: z.string(),
  type: z.string(),
  title: z.string(),
  difference: z.enum(['added', 'removed', 'changed', 'same']).describe('`same`: in all that was compared'),
  fields: z.array(change).readonly(),
  bytes: z.literal(true).optional().describe('its data was compared byte by byte'),
  notCompared: z.array(z.string()).readonly().describe('data that was not compared, and why'),
});

export const diffCounts = z.object({
  added: z.number(),
  removed: z.number(),
  changed: z.number(),
  same: z.number(),
  notCompared: z.number().describe('items whose data was not compared'),
});

const side = z.object({
  id: z.string().optional().describe('absent for the live group'),
  route: z.string(),
  portal: z.string(),
  groupId: z.string(),
  at: z.string().describe('when the snapshot was taken or the group read'),
});

/** The differences of two snapshots, or of a snapshot and its group now. */
export const snapshotComparison = z.object({
  items: z.array(itemDiff).readonly(),
  counts: diffCounts,
  before: side,
  after: side,
  notes: z.array(z.string()).readonly().describe('warnings about the two sides'),
});
export type SnapshotComparisonView = z.infer<typeof snapshotComparison>;
