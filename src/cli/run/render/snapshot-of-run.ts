import type { RunRecord } from '../../../model/run/run';
import { shortRunId } from '../../../model/run/run-id';
import { countOf, safeText } from '../../terminal/words';
import { bytesText } from '../../../model/text/bytes-text';

/** What a run did with snapshots, in a few words; nothing for one that has to do with none. */
export function snapshotWords({ kind, snapshot, proof, created }: RunRecord): string {
  switch (kind) {
    case 'backup':
      if (snapshot === undefined) return '';
      return snapshot.unchanged
        ? `Unchanged, see snapshot ${shortRunId(snapshot.id)}`
        : `${countOf(snapshot.items ?? 0, 'item')}, ${bytesText(snapshot.sizeBytes ?? 0)}, snapshot ${shortRunId(snapshot.id)}`;
    case 'drill':
      return proof === undefined ? '' : `Snapshot ${shortRunId(snapshot?.id ?? '?')} is proven: ${proof}`;
    case 'rollback':
      return createdWords(created);
    case 'sync':
    case 'restore':
    case 'bisect':
      return '';
  }
}

function createdWords(created: RunRecord['created']): string {
  const { removed = [], there = [] } = created ?? {};
  return [
    removed.length > 0 ? `${countOf(removed.length, 'created item')} removed` : '',
    there.length > 0 ? `${countOf(there.length, 'created item')} still there` : '',
  ]
    .filter((part) => part !== '')
    .join(', ');
}

/** Items that a run that was undone had created, and that are still there; the first of them by name. */
export function createdLines({ created }: RunRecord, named = 5): string[] {
  const there = created?.there ?? [];
  const lines = there
    .slice(0, named)
    .map(({ itemId, title, reason }) => `  ${itemId} "${safeText(title)}": ${safeText(reason)}`);
  return there.length > named ? [...lines, `  and ${there.length - named} more`] : lines;
}

/** What can be typed next about a run's snapshot. */
export function snapshotCommands(record: RunRecord): [string, string][] {
  const { kind, snapshot, safeguard, target, runId } = record;
  if (kind === 'backup' && snapshot !== undefined) {
    const id = shortRunId(snapshot.id);
    return [
      ['look', `portolan snapshot show ${id}`],
      ['restore', `portolan restore ${id} --to PORTAL --into GROUP`],
    ];
  }
  const hasSaved = safeguard !== undefined || (kind === 'sync' && snapshot !== undefined);
  return hasSaved && target !== 'untouched' ? [['undo', `portolan run rollback ${shortRunId(runId)}`]] : [];
}

/** The command that does a run of snapshots once more; undefined for one that is restarted or retried. */
export function startAgain({ kind, route, snapshot, parent = 'RUN' }: RunRecord): string | undefined {
  const { portal = 'PORTAL', groupId = 'GROUP' } = route.target ?? {};
  switch (kind) {
    case 'backup':
      return route.name === adhoc
        ? `portolan backup create --from ${route.source.portal} --group ${route.source.groupId}`
        : `portolan backup create ${route.name}`;
    case 'drill':
      return `portolan backup drill ${route.name}`;
    case 'restore':
      return `portolan restore ${shortRunId(snapshot?.id ?? 'SNAPSHOT')} --to ${portal} --into ${groupId}`;
    case 'rollback':
      return `portolan run rollback ${shortRunId(parent)}`;
    case 'sync':
    case 'bisect':
      return undefined;
  }
}

/** What a run without a route is called. */
const adhoc = 'adhoc';
