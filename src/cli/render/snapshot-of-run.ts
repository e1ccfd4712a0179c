import type { RunRecord } from '../../model/run';
import { shortRunId } from '../../model/run-id';
import { countOf, safeText, sizeWords } from './words';

/** What a run did with snapshots, in a few words; nothing for one that has to do with none. */
export function snapshotWords({ kind, snapshot, proof, created }: RunRecord): string {
  switch (kind) {
    case 'backup':
      if (snapshot === undefined) return '';
      return snapshot.unchanged
        ? `Unchanged, see snapshot ${shortRunId(snapshot.id)}`
        : `${countOf(snapshot.items ?? 0, 'item')}, ${sizeWords(snapshot.sizeBytes ?? 0)}, snapshot ${shortRunId(snapshot.id)}`;
    case 'drill':
      return proof === undefined ? '' : `Snapshot ${shortRunId(snapshot?.id ?? '?')} is proven: ${proof}`;
    case 'rollback':
      return createdWords(created);
    case 'sync':
    case 'restore':
    case 'hunt':
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
