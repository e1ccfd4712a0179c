import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { Context } from '@temporalio/activity';
import { readLiveRows } from '../../domain/snapshot/live-rows';
import { type PortalFacts, sourceOf } from '../../domain/transfer/portal-facts';
import { PortolanError } from '../../model/errors/errors';
import { type JobLists, jobLists } from '../../model/transfer/job-lists';
import type { LastRun } from '../../model/run/last-run';
import { type RequestedItem, requestedItem } from '../../model/transfer/requested';
import type { BackupInput } from '../../model/run/snapshot-input';
import type { RetentionPolicy } from '../../model/snapshot/retention';
import { isChosen, type RunRoute } from '../../model/transfer/route';
import type { RunRecord } from '../../model/run/run';
import {
  type LiveRow,
  type SnapshotManifest,
  snapshotRow,
  type SnapshotRow,
} from '../../model/snapshot/snapshot';
import type { PackageInStore } from '../../model/transfer/stored-package';
import { forgetByPolicy } from '../../domain/snapshot/retention/forget';
import { lastGood } from '../../domain/snapshot/list-snapshots';
import { portalClockWarning, takenAtOf } from '../../domain/snapshot/snapshot-age';
import { sameAsBefore } from '../../domain/snapshot/unchanged';
import { keys } from '../../store/keys';
import type { ActivityDeps } from '../deps';
import { progress, stopSignal } from '../attempt/heartbeat';
import { readPages } from '../transfer/plan/stored-lists';
import { searchAttributeNames } from '../../model/run/search-attributes';

interface ReadGroupNow {
  readonly runId: string;
  readonly route: RunRoute;
  readonly source: PortalFacts;
}

/** Whether a group is as its last good snapshot has it. */
type GroupNow =
  | { readonly same: true; readonly snapshot: KeptSnapshot }
  | { readonly same: false; readonly because: string };

type KeptSnapshot = Required<
  Pick<NonNullable<RunRecord['snapshot']>, 'id' | 'sha256' | 'sizeBytes' | 'items'>
>;

interface KeepSnapshot extends ReadGroupNow {
  readonly tags: readonly string[];
  readonly groupTitle?: string;
  readonly package: PackageInStore;
  readonly scheduledBy?: string;
  /** The group lost over half of its items since the last backup of the route. */
  readonly shrunk: boolean;
  /** Items in the group. */
  readonly requested: number;
}

const rowsNow = z.array(snapshotRow.omit({ saved: true, reason: true }));

export function createBackupActivities({ portals, store, snapshots, metrics, authority }: ActivityDeps) {
  return {
    /**
     * Reads the group with the layers of its hosted services, as it is before the export, and compares it with the
     * last good snapshot of the route. Where all is the same, that snapshot is noted to hold still.
     */
    async readGroupNow(input: ReadGroupNow): Promise<GroupNow> {
      const { runId, route, source } = input;
      const portal = portals.open(source.name);
      const rows = await readLiveRows(portal, route.source.groupId, source.release, {
        signal: stopSignal(),
        items: route.options.items,
        progress,
      });
      await store.writeJson(keys.rowsNow(runId), rows);
      const last = (await lastGood(snapshots, route.name))?.manifest;
      if (!last) return { same: false, because: 'the first good snapshot of this route' };
      if (!isOfGroup(last, source, route))
        return { same: false, because: `snapshot ${last.id} is of another group` };
      if (!last.package) return { same: false, because: `snapshot ${last.id} has no package` };
      const compared = sameAsBefore(await snapshots.rowsOf(last), rows);
      if (!compared.same) return { same: false, because: compared.because };
      await snapshots.confirm(last.id, { at: new Date().toISOString(), runId });
      await metrics.record(snapshots);
      return { same: true, snapshot: keptOf(last, last.package) };
    },

    /**
     * Commits the package that came into the store as a snapshot, with a row for each item of the group. What the
     * portal said that it left out of the package is named with its reason; `clock` has words where the portal's clock
     * and ours disagree.
     */
    async keepSnapshot(input: KeepSnapshot): Promise<KeptSnapshot & { failed: number; clock?: string }> {
      const { runId, route, source, package: packaged } = input;
      const live = new Map(
        ((await store.readJson(keys.rowsNow(runId), rowsNow)) ?? []).map((row) => [row.itemId, row]),
      );
      const now = Date.now();
      const lists = await store.readJson(keys.jobLists(runId, 'export'), jobLists);
      const judge = savedJudge(lists);
      const requested = await readPages(store, keys.requested(runId), requestedItem);
      const rows = requested.map((item): SnapshotRow => ({
        ...(live.get(item.itemId) ?? bare(item)),
        ...judge(item),
      }));
      const desired = new Map(requested.map((item) => [item.itemId, item]));
      const failed = rows.filter(
        (row) => row.saved === 'no' && !desired.get(row.itemId)?.skip && !isSkipped(lists, row),
      );
      const manifest = await snapshots.commit(
        {
          id: runId,
          kind: 'backup',
          runId,
          route: route.name,
          scheduledBy: input.scheduledBy,
          tags: [...input.tags],
          chosen: isChosen(route.options) || undefined,
          source: sourceOf(source, route.source.groupId, input.groupTitle),
          takenAt: takenAtOf(packaged.madeAt, now),
          complete: failed.length === 0 && !input.shrunk,
          package: { key: packaged.key, sizeBytes: packaged.sizeBytes, sha256: packaged.sha256 },
        },
        rows,
      );
      if (!manifest.package) throw new PortolanError('INTERNAL', `snapshot ${runId} has no package`);
      await metrics.record(snapshots);
      if (!input.shrunk) await noteLast(input);
      const clock = portalClockWarning(packaged.madeAt, now);
      return { ...keptOf(manifest, manifest.package), failed: failed.length, clock };
    },

    /**
     * Carries a route's policy out, as `portolan snapshot forget` does. Throws NOT_AUTHENTIC where it is not the one
     * that the calling backup was started with.
     */
    async forgetByPolicy(input: {
      route: string;
      /** Absent: all backups stay. */
      policy?: RetentionPolicy;
      safeguardsMs?: number;
    }): Promise<{ kept: number; forgotten: number }> {
      const { workflowId: runId = '' } = Context.current().info.workflowExecution ?? {};
      const asked = { route: input.route, policy: input.policy, safeguardsMs: input.safeguardsMs };
      await authority.requireSigned(runId, 'backup', (signed) => {
        const { route, keep: policy, safeguardsMs } = signed as BackupInput;
        return isDeepStrictEqual(asked, { route: route.name, policy, safeguardsMs });
      });
      const { kept, forgotten } = await forgetByPolicy(snapshots, { ...input, openRuns: await openRuns() });
      return { kept, forgotten };
    },
  };

  /** For the next backup of the route: a group that suddenly is half empty is noticed. */
  async function noteLast({ runId, route, requested }: KeepSnapshot): Promise<void> {
    const note: LastRun = { runId, endedAt: new Date().toISOString(), requested, modified: {} };
    await store.writeJson(keys.lastRun(route), note);
  }
}

const isOfGroup = ({ source: from }: SnapshotManifest, source: PortalFacts, route: RunRoute): boolean =>
  from.url === source.url && from.portalId === source.portalId && from.groupId === route.source.groupId;

const keptOf = (
  { id, rows }: SnapshotManifest,
  { sha256, sizeBytes }: NonNullable<SnapshotManifest['package']>,
): KeptSnapshot => ({ id, sha256, sizeBytes, items: rows.saved });

/** A row of an item that left the group between its listing and the look at its layers. */
const bare = ({ itemId, type, title, size, modified, url, hosted }: RequestedItem): LiveRow => ({
  itemId,
  type,
  title,
  size,
  modified,
  url: hosted ? url : undefined,
  hosted,
});

/** Judges by the lists of the export's job what became of an item; portals that tell no lists leave it presumed. */
function savedJudge(
  lists: JobLists | undefined,
): (item: RequestedItem) => Pick<SnapshotRow, 'saved' | 'reason'> {
  const done = new Set(lists?.done.flatMap(({ itemId }) => itemId ?? []));
  const left = new Map(
    [...(lists?.skipped ?? []), ...(lists?.failed ?? [])].flatMap(({ itemId, reason }) =>
      itemId ? [[itemId, reason] as const] : [],
    ),
  );
  return ({ itemId, skip, doubt }) => {
    if (done.has(itemId)) return { saved: 'package' };
    if (left.has(itemId)) return { saved: 'no', reason: left.get(itemId) ?? 'the portal left it out' };
    if (skip) return { saved: 'no', reason: skip };
    if (done.size > 0) return { saved: 'no', reason: doubt ?? 'the portal does not say that it exported it' };
    return { saved: 'presumed' };
  };
}

/** What a portal skips is not of a kind that it exports: no failure. */
const isSkipped = (lists: JobLists | undefined, { itemId }: SnapshotRow): boolean =>
  lists?.skipped.some((entry) => entry.itemId === itemId) ?? false;

/** Ids of all runs that have not ended: what they keep in the store is still needed. */
async function openRuns(): Promise<ReadonlySet<string>> {
  const { client } = Context.current();
  const query = `${searchAttributeNames.kind} IS NOT NULL AND ExecutionStatus = 'Running'`;
  const open = new Set<string>();
  for await (const { workflowId } of client.workflow.list({ query })) open.add(workflowId);
  return open;
}
