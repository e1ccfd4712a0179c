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
import { type Caller, May } from '../../service/may';
import { problem } from '../problem';
import type { Sources } from '../sources';
import { pinsApi } from './pins';
import type { Turns } from '../caller-limit';
import { cursor as rowCursor, limit, noCursor } from './cursors';

const tags = ['snapshots'];
const text = z.string().min(1).max(300);
const which = z.object({ snapshot: text.describe('ID, a unique suffix of it, `latest` or `latest:ROUTE`') });

/** Throws for a snapshot of a route or pipeline that the caller may not change. */
export const mayChangeSnapshot =
  (caller: Caller): MayChangeSnapshot =>
  (manifest) => {
    if (!manifest) return new May(caller).changeShared();
    const { route: name, runId } = manifest;
    new May(caller).changeRun({ kind: 'backup', route: { name }, runId });
  };

/** `portolan snapshot list|show|diff|pin|unpin|forget`. */
export const snapshotsApi =
  (sources: Sources, turns: Turns): FastifyPluginAsyncZod =>
  async (api) => {
    api.get(
      '/snapshots',
      {
        schema: {
          operationId: 'listSnapshots',
          tags,
          summary: 'List snapshots, newest first, and the backup status of routes',
          querystring: z.object({
            limit,
            cursor: z.string().max(400).optional().describe('`next` of the previous page'),
            route: z.string().max(200).optional(),
            tag: z.string().max(200).optional(),
            safeguards: z.stringbool().default(false).describe('include safeguards'),
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
          tags,
          summary: 'Show a snapshot and one page of its items',
          params: which,
          querystring: z.object({ limit, cursor: rowCursor }),
          response: {
            200: snapshotDetail.extend({ next: z.string().optional().describe('cursor of the next page') }),
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
          tags,
          summary: 'Compare a snapshot with another one or with the live group',
          params: which,
          querystring: z.object({ with: text.describe('a snapshot, named in the same way, or `live`') }),
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
        what: 'snapshot',
        text: which.shape.snapshot,
        pin: (named, pin, caller) => pinSnapshot(sources, named, pin, mayChangeSnapshot(caller)),
        unpin: (named, caller) => unpinSnapshot(sources, named, mayChangeSnapshot(caller)),
      }),
    );

    api.post(
      '/snapshots/forget',
      {
        // A dry run only needs the right to view.
        config: { right: 'view' },
        schema: {
          operationId: 'forgetSnapshots',
          tags,
          summary: 'Forget snapshots by ID or by retention policy',
          body: forgetRequest.extend(forgetHow.shape),
          response: { 200: forgettingSeen, default: problem },
        },
      },
      async ({ caller, body: { dryRun, seen, ...request } }) => {
        if (!dryRun) new May(caller).have('operate');
        const require = dryRun ? undefined : mayChangeSnapshot(caller);
        return await sources.readable((found) => forgetSnapshots(found, request, { dryRun, seen }, require));
      },
    );
  };

const cursorOf = ({ id, takenAt }: SnapshotPlace): string => `${Date.parse(takenAt)}.${id}`;

function placeIn(cursor: string): SnapshotPlace {
  const [, taken, id = ''] = /^(\d{1,15})\.(.+)$/.exec(cursor) ?? [];
  if (taken === undefined) throw noCursor();
  return { id, takenAt: new Date(Number(taken)).toISOString() };
}
