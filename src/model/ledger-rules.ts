import type { JobLists } from './job-lists';
import { emptyLedger, type Ledger, type LedgerList } from './ledger';
import type { PlanRow } from './plan';
import type { RequestedItem } from './requested';

/** Everything that says what became of the requested items. */
export interface LedgerEvidence {
  readonly requested: readonly RequestedItem[];
  readonly exported?: JobLists;
  /** The source answered that there is nothing to export: no package was made. */
  readonly nothingExported?: boolean;
  /** Rows of the plan that was carried out; undefined where the run ended before it had one. */
  readonly plan?: readonly PlanRow[];
  /** What the import answered; undefined where it did not run, or its answer was lost. */
  readonly imported?: JobLists;
  /** Items that an earlier import of the same run has brought; the later plan finds them there and keeps them. */
  readonly movedBefore?: ReadonlySet<string>;
  /** Whether an import was posted. */
  readonly importPosted: boolean;
  /** The target's `modified` of each item that is there now; needed where the import's answer was lost. */
  readonly onTarget?: ReadonlyMap<string, number | undefined>;
}

type Verdict = readonly [list: LedgerList, reason?: string];

/** Puts every requested item into exactly one list. */
export function closeLedger(evidence: LedgerEvidence): Ledger {
  const ledger = emptyLedger();
  const judge = judgeFor(evidence);
  for (const item of evidence.requested) {
    const [list, reason] = judge(item);
    ledger[list].push({ itemId: item.itemId, type: item.type, title: item.title, reason });
  }
  return ledger;
}

function judgeFor(evidence: LedgerEvidence): (item: RequestedItem) => Verdict {
  const rows = new Map(evidence.plan?.map((row) => [row.itemId, row]));
  const exportSkipped = reasons(evidence.exported?.skipped);
  const exportFailed = reasons(evidence.exported?.failed);
  const judgeImport = importJudge(evidence);
  return (item) => {
    const row = rows.get(item.itemId);
    if (row?.action === 'keep' && evidence.movedBefore?.has(item.itemId))
      return ['imported', 'by an earlier import of this run'];
    if (row) return judgePlanned(row, judgeImport);
    if (exportFailed.has(item.itemId))
      return ['failed', exportFailed.get(item.itemId) ?? 'the source could not export it'];
    if (item.skip) return ['skipped', item.skip];
    if (exportSkipped.has(item.itemId))
      return ['skipped', exportSkipped.get(item.itemId) ?? item.doubt ?? 'the source left it out'];
    if (item.doubt && leftOut(item.itemId, evidence)) return ['skipped', item.doubt];
    if (evidence.importPosted && !evidence.plan) return ['unaccounted', 'the target imported without a plan'];
    const answered = evidence.plan !== undefined || evidence.nothingExported;
    return [
      'unaccounted',
      answered ? 'in no package, and the source does not say why' : 'the run ended before its import',
    ];
  };
}

/** Whether an item of no row is known to be in no package: by the plan, or by an answer that says something. */
function leftOut(itemId: string, { plan, exported, nothingExported }: LedgerEvidence): boolean {
  if (plan || nothingExported) return true;
  const named = Object.values(exported ?? {}).flat();
  return named.length > 0 && !exported?.done.some((entry) => entry.itemId === itemId);
}

function judgePlanned(row: PlanRow, judgeImport: (row: PlanRow) => Verdict): Verdict {
  switch (row.action) {
    case 'keep':
      return ['kept', row.reason];
    case 'blocked':
      return ['blocked', row.reason];
    case 'create':
    case 'overwrite':
      return judgeImport(row);
    case 'extra':
      return ['unaccounted', 'only on the target'];
  }
}

function importJudge(evidence: LedgerEvidence): (row: PlanRow) => Verdict {
  if (!evidence.importPosted) return () => ['unaccounted', 'the run ended before its import'];
  const { imported, onTarget } = evidence;
  if (!imported) {
    return (row) => {
      if (!onTarget?.has(row.itemId))
        return ['unaccounted', 'the answer of the import was lost, and it is not there'];
      const moved = row.action === 'create' || onTarget.get(row.itemId) !== row.target?.modified;
      return moved ? ['imported'] : ['unaccounted', 'the answer of the import was lost, and it is as it was'];
    };
  }
  const done = reasons(imported.done);
  const failed = reasons(imported.failed);
  const skipped = reasons(imported.skipped);
  return (row) => {
    if (failed.has(row.itemId)) return ['failed', failed.get(row.itemId) ?? 'the target could not import it'];
    if (done.has(row.itemId)) return ['imported'];
    if (skipped.has(row.itemId)) return ['failed', skipped.get(row.itemId) ?? 'the target skipped it'];
    return ['unaccounted', 'the target does not say what became of it'];
  };
}

function reasons(entries: JobLists['done'] = []): Map<string, string | undefined> {
  return new Map(entries.flatMap((entry) => (entry.itemId ? [[entry.itemId, entry.reason] as const] : [])));
}
