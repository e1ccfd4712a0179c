import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { forgetSnapshots } from '../../service/snapshot/forget-snapshots';
import { forgetHow, forgetRequest, forgettingSeen } from '../../service/snapshot/forget-view';
import { snapshotComparison } from '../../service/snapshot/snapshot-diff-view';
import { snapshotDetail, snapshotsPage } from '../../service/snapshot/snapshot-view';
import {
  diffSnapshots,
  type MayChangeSnapshot,
  pinSnapshot,
  readSnapshot,
  readSnapshots,
  type SnapshotPlace,
  unpinSnapshot,
} from '../../service/snapshot/snapshots';
import { type Caller, requireOfRun, requireRightTo, requireUnlimited } from '../access';
import { problem } from '../problem';
import type { Sources } from '../sources';
import { pinsApi } from './pins';
import type { Turns } from '../turns';
import { cursor as rowCursor, limit, noCursor } from './cursors';

const tags = ['snapshots'];
const text = z.string().min(1).max(300);
const which = z.object({ snapshot: text.describe('id, an end of it, `latest`, or `latest:ROUTE`') });

/** Throws of a snapshot of another route or pipeline than whoever asks may change things of. */
export const mayChangeSnapshot =
  (caller: Caller): MayChangeSnapshot =>
  (manifest) => {
    if (!manifest) return requireUnlimited(caller);
    const { route: name, runId } = manifest;
    requireOfRun(caller)({ kind: 'backup', route: { name }, runId });
  };

/** What the store keeps of groups: `portolan snapshot list|show|diff|pin|unpin|forget`. */
export const snapshotsApi =
  (sources: Sources, turns: Turns): FastifyPluginAsyncZod =>
  async (api) => {
    api.get(
      '/snapshots',
      {
        schema: {
          operationId: 'listSnapshots',
          ...{ tags, summary: 'Snapshots, newest first, and how well routes are backed up' },
          querystring: z.object({
            limit,
            cursor: z.string().max(400).optional().describe('`next` of the page before'),
            route: z.string().max(200).optional(),
            tag: z.string().max(200).optional(),
            safeguards: z.stringbool().default(false).describe('what imports were about to overwrite too'),
          }),
          response: { 200: snapshotsPage, default: problem },
        },
      },
      async ({ query: { cursor, ...asked } }) => {
        const after = cursor === undefined ? undefined : placeIn(cursor);
        const { next, ...page } = await readSnapshots(sources, { ...asked, after });
        return { ...page, ...(next && { next: cursorOf(next) }) };
      },
    );

    api.get(
      '/snapshots/:snapshot',
      {
        schema: {
          operationId: 'readSnapshot',
          ...{ tags, summary: 'All that is known of a snapshot, and a page of its items', params: which },
          querystring: z.object({ limit, cursor: rowCursor }),
          response: {
            200: snapshotDetail.extend({ next: z.string().optional().describe('cursor of further items') }),
            default: problem,
          },
        },
      },
      async ({ params: { snapshot }, query: { limit: count, cursor: from = 0 } }) => {
        const { items, ...detail } = await readSnapshot(sources, snapshot);
        const isMore = items.length > from + count;
        const page = items.slice(from, from + count);
        return { ...detail, items: page, ...(isMore && { next: String(from + count) }) };
      },
    );

    api.get(
      '/snapshots/:snapshot/diff',
      {
        schema: {
          operationId: 'diffSnapshots',
          ...{ tags, summary: 'How another snapshot, or its group as it is now, differs', params: which },
          querystring: z.object({ with: text.describe('a snapshot, named in the same ways, or `live`') }),
          response: { 200: snapshotComparison, default: problem },
        },
      },
      async (request) => {
        const { config, store } = sources;
        const { params, query } = request;
        const diff = (signal?: AbortSignal) =>
          diffSnapshots({ config, store, signal }, params.snapshot, query.with);
        return query.with === 'live' ? await turns.of(request, diff) : await diff();
      },
    );

    await api.register(
      pinsApi({
        ...{ what: 'snapshot', text: which.shape.snapshot },
        pin: (named, pin, caller) => pinSnapshot(sources, named, pin, mayChangeSnapshot(caller)),
        unpin: (named, caller) => unpinSnapshot(sources, named, mayChangeSnapshot(caller)),
      }),
    );

    api.post(
      '/snapshots/forget',
      {
        // What would go may be asked by whoever may look.
        config: { right: 'view' },
        schema: {
          operationId: 'forgetSnapshots',
          ...{ tags, summary: 'Removes snapshots that are named, or those of a route that no rule keeps' },
          body: forgetRequest.extend(forgetHow.shape),
          response: { 200: forgettingSeen, default: problem },
        },
      },
      async ({ caller, body: { dryRun, seen, ...request } }) => {
        if (!dryRun) requireRightTo(caller, 'operate');
        const require = dryRun ? undefined : mayChangeSnapshot(caller);
        return await sources.readable((found) => forgetSnapshots(found, request, { dryRun, seen }, require));
      },
    );
  };

const cursorOf = ({ id, takenAt, createdAt }: SnapshotPlace): string =>
  `${Date.parse(takenAt)}.${Date.parse(createdAt)}.${id}`;

function placeIn(cursor: string): SnapshotPlace {
  const [, taken, created, id = ''] = /^(\d{1,15})\.(\d{1,15})\.(.+)$/.exec(cursor) ?? [];
  const times = [taken, created].map((each) => new Date(Number(each)));
  const [takenAt, createdAt] = times;
  if (!takenAt || !createdAt || times.some((each) => Number.isNaN(each.getTime()))) throw noCursor();
  return { id, takenAt: takenAt.toISOString(), createdAt: createdAt.toISOString() };
}
