import type { PortolanError } from '../../model/errors/errors';
import { shortRunId } from '../../model/run/run-id';
import type { RunRecord } from '../../model/run/run';
import { createdCounts } from '../../model/run/run-state';
import { bytesText, countOf } from '../../model/text/words';
import { ledgerLists, listName } from '../../model/transfer/ledger-lists';
import { lengthOf } from './run-view';
import type { HookConfig } from '../../config/config';

/**
 * Names what a run does: `sync transport`, `settings apply production`, `promotion of R to transport/production`. A stage
 * rollback shows its direction: `rollback of transport/production: 20261121T110000Z-m4wd → 20261121T090000Z-k7q2`.
 */
export function runTitle({ kind, operation, route, stage, release, undoes }: RunRecord): string {
  if (stage === undefined || release === undefined)
    return [kind, operation, route.name].filter(Boolean).join(' ');
  if (undoes === undefined) return `${kind} of ${release.id} to ${stage}`;
  const short = (id: string): string =>
    id.startsWith(`${route.name}-`) ? id.slice(route.name.length + 1) : id;
  return `rollback of ${stage}: ${short(release.id)} → ${undoes.to === undefined ? 'no release' : short(undoes.to)}`;
}

/** `11 imported, 2 kept, 1 blocked, 1 finding`. */
export function outcomeWords(record: RunRecord): string {
  if (record.status === 'waiting') return 'Waiting for approval';
  if (record.status === 'parked')
    return `Waiting for a decision${record.parked === undefined ? '' : ` in ${record.parked.phase}`}`;
  const findings = record.verification === undefined ? 0 : lengthOf(record.verification.findings);
  const { changes } = record;
  return [
    snapshotWords(record),
    isUnchanged(record) ? 'Unchanged' : '',
    ledgerWords(record.items),
    changes === undefined ? '' : countOf(changes.length, 'change'),
    findings > 0 ? countOf(findings, 'finding') : '',
  ]
    .filter((part) => part !== '')
    .join(', ');
}

/** A sync that needed no package, because nothing changed since the last one. */
const isUnchanged = ({ status, items, package: packaged }: RunRecord): boolean =>
  (status === 'nothing-to-do' || status === 'partial') && packaged === undefined && lengthOf(items?.same) > 0;

/** What a run did with snapshots; empty for other runs. */
function snapshotWords({ kind, snapshot, proof, created }: RunRecord): string {
  switch (kind) {
    case 'backup':
      if (snapshot === undefined) return '';
      return snapshot.unchanged
        ? `Unchanged, see snapshot ${shortRunId(snapshot.id)}`
        : `${countOf(snapshot.items ?? 0, 'item')}, ${sizeWords(snapshot)}, snapshot ${shortRunId(snapshot.id)}`;
    case 'drill':
      return proof === undefined ? '' : `Snapshot ${shortRunId(snapshot?.id ?? '?')} is proven: ${proof}`;
    case 'rollback':
      return createdWords(created);
    default:
      return '';
  }
}

/** `64 MB`, or `1.2 MB added to 64 MB of k7q2` if it has a parent snapshot. */
function sizeWords({ sizeBytes = 0, addedBytes = 0, since }: NonNullable<RunRecord['snapshot']>): string {
  if (since === undefined) return bytesText(sizeBytes);
  return `${bytesText(addedBytes)} added to ${bytesText(sizeBytes - addedBytes)} of ${shortRunId(since)}`;
}

function createdWords(created: RunRecord['created']): string {
  if (created === undefined) return '';
  const { removed, there } = createdCounts(created);
  return [
    removed > 0 ? `${countOf(removed, 'created item')} deleted` : '',
    there > 0 ? `${countOf(there, 'created item')} still there` : '',
  ]
    .filter((part) => part !== '')
    .join(', ');
}

/** `11 imported, 2 kept, 1 blocked`; lists without entries are left out. */
export function ledgerWords(items: RunRecord['items']): string {
  if (items === undefined) return '';
  return ledgerLists
    .map((list) => [lengthOf(items[list]), list] as const)
    .filter(([count]) => count > 0)
    .map(([count, list]) => `${count} ${listName(list)}`)
    .join(', ');
}

export const rowsNotShown = (why: PortolanError): string =>
  `cannot show the rows of the plan: ${why.plainMessage}`;

/** What a hook starts: `sync ROUTE`, `promotion PIPELINE/STAGE` or `backup of ROUTE, RULE`. */
export const startOfHook = ({ starts }: Pick<HookConfig, 'starts'>): string => {
  if ('portal' in starts) return `backup of ${starts.routes.join(', ')}`;
  return 'route' in starts ? `sync ${starts.route}` : `promotion ${starts.pipeline}/${starts.stage}`;
};
