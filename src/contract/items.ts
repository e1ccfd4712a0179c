import { z } from 'zod';
import { portalId } from '../model/portal-id';
import { snapshotRow } from '../model/snapshot/snapshot';
import { change } from '../model/transfer/change';
import { next, operation, paging } from './operation';
import { nameText } from './snapshots';
import { plannedStart, start } from './starts';

const item = nameText.describe('ID, or title if only one item has it');
const snapshot = nameText.describe('snapshot: ID, a unique suffix of it, `latest` or `latest:ROUTE`');
const portal = z.string().min(1).max(63).optional().describe('only items of this portal');

/** How operations show an item, on the portal it was backed up from. */
const itemShown = snapshotRow
  .pick({ itemId: true, type: true, title: true, owner: true, size: true })
  .extend({ portal: z.string(), portalUrl: z.string() });

const gone = z.object({ at: z.string(), snapshot: z.string() });

const heldItem = itemShown.extend({
  groups: z.array(z.object({ id: z.string(), title: z.string().optional() })).readonly(),
  snapshots: z.number().describe('backups that hold it'),
  newest: z.object({ id: z.string(), takenAt: z.string() }),
  gone: gone.optional().describe('first backup of its groups that no longer holds it'),
});
export type HeldItemView = Readonly<z.infer<typeof heldItem>>;

const notes = z.array(z.string()).readonly().describe('warnings, such as snapshots that cannot be read');

const itemVersion = snapshotRow.pick({ type: true, title: true, owner: true, size: true }).extend({
  at: z.string().describe('first backup with this version'),
  until: z.string().describe('last backup with it'),
  change: change.optional().describe('from the version before; absent for the first'),
  snapshots: z
    .array(
      snapshotRow.pick({ saved: true, reason: true }).extend({
        id: z.string(),
        takenAt: z.string(),
        route: z.string(),
        damaged: z.string().optional().describe('why it cannot be restored from there'),
      }),
    )
    .readonly()
    .describe('newest first'),
});
export type ItemVersionView = Readonly<z.infer<typeof itemVersion>>;

const itemHistory = itemShown.extend({
  gone: gone.optional(),
  versions: z.array(itemVersion).readonly().describe('those that differ, newest first'),
  notes,
});
export type ItemHistory = z.infer<typeof itemHistory>;

const side = z.object({ id: z.string().optional().describe('absent for the live item'), at: z.string() });

const itemComparison = itemShown.extend({ before: side, after: side, change });
export type ItemComparison = z.infer<typeof itemComparison>;

const itemState = itemShown.extend({
  snapshot: z.object({ id: z.string(), takenAt: z.string(), route: z.string() }),
  row: snapshotRow,
  content: z
    .looseObject({
      details: z.record(z.string(), z.unknown()),
      data: z.unknown().optional(),
      unread: z.string().optional().describe('why some of it was not kept'),
    })
    .optional()
    .describe('its JSON; absent if none was kept'),
});
export type ItemState = z.infer<typeof itemState>;

/** A whole store, or a portal, is read. @format milliseconds */
const READ_WITHIN_MS = 30_000;

/** Single items in backups: `portolan item list|history|show|diff|restore`. */
export const itemOperations = {
  listItems: operation({
    at: 'GET /items',
    summary: 'List items that backups hold, deleted ones too',
    input: z.strictObject({
      ...paging,
      query: z.string().max(300).optional().describe('part of the title, or the type or ID'),
      portal,
    }),
    answer: z.object({ items: z.array(heldItem).readonly(), notes, next }),
    right: 'view',
    needs: 'store',
    turn: true,
    withinMs: READ_WITHIN_MS,
    pages: 'items',
  }),
  readItemHistory: operation({
    at: 'GET /items/:item/history',
    summary: 'Show the versions of an item that differ, with what changed',
    input: z.strictObject({ item, portal }),
    answer: itemHistory,
    right: 'view',
    needs: 'store',
    turn: true,
    withinMs: READ_WITHIN_MS,
  }),
  diffItem: operation({
    at: 'GET /items/:item/diff',
    summary: 'Compare an item between two snapshots, or with the portal now',
    input: z.strictObject({ item, before: snapshot, after: nameText.describe('snapshot, or `live`') }),
    answer: itemComparison,
    right: 'view',
    needs: 'store',
    turn: true,
    withinMs: READ_WITHIN_MS,
  }),
  readItemAt: operation({
    at: 'GET /items/:item/at/:snapshot',
    summary: 'Show an item as a snapshot holds it',
    input: z.strictObject({ item, snapshot }),
    answer: itemState,
    right: 'view',
    needs: 'store',
  }),
  restoreItem: start('POST /items/:item/restore', 'Restore one item from a snapshot', {
    ...plannedStart,
    item,
    at: snapshot,
    to: z.string().min(1).max(200).optional().describe('target portal. @default where it was backed up'),
    into: portalId('group id').optional().describe('target group. @default where it was backed up'),
    data: z.enum(['keep', 'replace']).default('replace').describe('data of an existing hosted layer'),
    planOnly: z.boolean().optional().describe('stop after the plan'),
  }),
};
