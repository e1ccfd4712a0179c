import { blockLog, freezeLog, scheduleLog } from '../../domain/event-log';
import type { Action } from '../../model/run/run';
import { withRecords } from '../run/lookup/row-records';
import { runPage } from '../run/run-rows';
import type { ReadContext } from '../run/run-sources';

/** An action of a person on a run, a schedule, a release or a portal. */
export interface AuditEntry extends Action {
  readonly runId?: string;
  /** The route of the run, the schedule, the release, or the portal that was frozen. */
  readonly of: string;
}

export interface AuditPage {
  /** The newest first. */
  readonly entries: readonly AuditEntry[];
  /** Start time before which the next page continues. @format milliseconds since the epoch */
  readonly next?: number;
  /** State files of freezes, blocks and schedules that cannot be read. */
  readonly unreadable: number;
}

/**
 * Actions on runs, freezes, blocked releases and schedules: those on a page of runs, and all since the oldest of these started.
 * @param before runs that began before then @format milliseconds since the epoch
 */
export async function auditPage(
  sources: ReadContext,
  { before, limit }: { readonly before?: number; readonly limit: number },
): Promise<AuditPage> {
  const { rows, next, unread } = await runPage(sources, { before, limit });
  const older = next ?? unread;
  const records = await withRecords(sources, rows);
  const { config, store } = sources;
  const { events, unreadable } = await freezeLog(store).read();
  const schedules = await scheduleLog(store, config.temporal.taskQueue).read();
  const blocks = await blockLog(store).read();
  const isOfPage = ({ at }: { readonly at: number }): boolean =>
    at < (before ?? Infinity) && (older === undefined || at >= older);
  const acts = records.flatMap(({ row: { runId, route }, record }) =>
    (record?.actions ?? []).map((action): AuditEntry => ({ ...action, runId, of: route })),
  );
  const freezes = events.filter(isOfPage).map(({ what, portal, who, at, reason }): AuditEntry => {
    return {
      what: what === 'frozen' ? 'freeze' : 'unfreeze',
      of: portal,
      who,
      at: new Date(at).toISOString(),
      reason,
    };
  });
  const onSchedules = schedules.events.filter(isOfPage).map(({ schedule, at, ...event }): AuditEntry => {
    return { ...event, of: `schedule ${schedule}`, at: new Date(at).toISOString() };
  });
  const onReleases = blocks.events.filter(isOfPage).map(({ release, at, ...event }): AuditEntry => {
    return { ...event, of: release, at: new Date(at).toISOString() };
  });
  return {
    entries: [...acts, ...freezes, ...onReleases, ...onSchedules].sort((one, other) =>
      other.at.localeCompare(one.at),
    ),
    ...(older !== undefined && { next: older }),
    unreadable: unreadable.length + blocks.unreadable.length + schedules.unreadable.length,
  };
}
