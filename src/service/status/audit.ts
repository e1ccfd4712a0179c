import { FreezeLog } from '../../domain/policy/freeze-log';
import type { Action } from '../../model/run/run';
import { withRecords } from '../run/lookup/row-records';
import { runPage } from '../run/run-rows';
import type { RunSources } from '../run/run-sources';

/** Something that somebody did: to a run, or to a portal as a whole. */
export interface AuditEntry extends Action {
  readonly runId?: string;
  /** The route of the run, or the portal that was frozen. */
  readonly of: string;
}

export interface AuditPage {
  /** The newest first. */
  readonly entries: readonly AuditEntry[];
  /** What was done to runs that began before then stands on the next page. @format milliseconds since the epoch */
  readonly next?: number;
  /** Notes of frozen portals that cannot be read. */
  readonly unreadable: number;
}

/**
 * Who started, approved, rejected, resumed and ended what, and who froze which portal: of a page of runs, and what was
 * frozen since the oldest of them began.
 * @param before runs that began before then @format milliseconds since the epoch
 */
export async function auditPage(
  sources: RunSources,
  { before, limit }: { readonly before?: number; readonly limit: number },
): Promise<AuditPage> {
  const { rows, next, unread } = await runPage(sources, { before, limit });
  const older = next ?? unread;
  const records = await withRecords(sources, rows);
  const { events, unreadable } = await new FreezeLog(sources.store).read();
  const acts = records.flatMap(({ row: { runId, route }, record }) =>
    (record?.actions ?? []).map((action): AuditEntry => ({ ...action, runId, of: route })),
  );
  const freezes = events
    .filter(({ at }) => at < (before ?? Infinity) && (older === undefined || at >= older))
    .map(({ what, portal, who, at, reason }): AuditEntry => {
      return {
        what: what === 'frozen' ? 'freeze' : 'unfreeze',
        of: portal,
        who,
        at: new Date(at).toISOString(),
        reason,
      };
    });
  return {
    entries: [...acts, ...freezes].sort((one, other) => other.at.localeCompare(one.at)),
    ...(older !== undefined && { next: older }),
    unreadable: unreadable.length,
  };
}
