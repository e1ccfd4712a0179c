import { type LedgerList, ledgerLists } from '../../model/transfer/ledger-lists';
import { type JobLists, united } from '../../model/transfer/job';
import { emptyLedger, type Ledger, type LedgerEntry } from '../../model/transfer/ledger';
import type { PlanRow } from '../../model/transfer/plan';
import type { RequestedItem } from '../../model/transfer/requested';
import { formatUnchangedSince } from './outcomes';

/** The evidence about requested items. */
export interface LedgerEvidence {
  readonly requested: readonly RequestedItem[];
  readonly exported?: JobLists;
  /** The source reported that there is nothing to export. */
  readonly nothingExported?: boolean;
  /** Rows of the executed plan; undefined if the run ended before it had one. */
  readonly plan?: readonly PlanRow[];
  /** The response of each package's import; undefined if it did not run, or its response was lost. */
  readonly imported: readonly (JobLists | undefined)[];
  /** For how many packages, the first ones, an import was sent. */
  readonly posted: number;
  /** Items imported by an earlier import of the same run; a later plan keeps them. */
  readonly movedBefore?: ReadonlySet<string>;
  /** Items restored one by one from copies. */
  readonly putBack?: ReadonlySet<string>;
  /** The portal message if the import job failed as a whole, without results per item. */
  readonly importFailure?: string;
  /** The target's `modified` of each existing item; needed if the import's response was lost. */
  readonly onTarget?: ReadonlyMap<string, number | undefined>;
}

type Verdict = readonly [list: LedgerList, reason?: string];

/**
 * Puts each requested item into exactly one list. If the evidence is contradictory, an item counts as imported, kept
 * or skipped only if nothing contradicts it.
 */
export function ledgerOf(evidence: LedgerEvidence): Ledger {
  const ledger = emptyLedger();
  const judge = judgeFor(evidence);
  const judged = new Set<string>();
  for (const item of evidence.requested) {
    const { itemId, type, title } = item;
    if (judged.has(itemId)) continue;
    judged.add(itemId);
    const [list, reason] = judge(item);
    ledger[list].push({ itemId, type, title, reason });
  }
  return ledger;
}

function judgeFor(evidence: LedgerEvidence): (item: RequestedItem) => Verdict {
  const rows = rowsById(evidence.plan);
  const unplanned = resultsIn(evidence.posted > 0 ? united(evidence.imported) : undefined).done;
  const judgeImport = importJudge(evidence);
  const judgePackage = packageJudge(evidence);
  return (item) => {
    const { itemId, same } = item;
    if (evidence.putBack?.has(itemId)) return ['imported', 'restored from its copy'];
    const row = rows.get(itemId);
    if (row?.action === 'create' || row?.action === 'overwrite') return judgeImport(row);
    if (row?.action === 'keep' && evidence.movedBefore?.has(itemId))
      return ['imported', 'by an earlier import of this run'];
    if (unplanned.has(itemId))
      return ['unaccounted', 'the target imported it although it was not in the plan'];
    if (same?.as === 'imported') return ['same', formatUnchangedSince(same.runId)];
    if (same?.as === 'kept') return ['kept', same.reason];
    switch (row?.action) {
      case 'same':
        return ['same', row.reason || 'unchanged'];
      case 'keep':
        return ['kept', row.reason];
      case 'blocked':
        return ['blocked', row.reason || 'the plan gives no reason'];
      case 'extra':
        return ['unaccounted', 'only on the target'];
      case 'restore':
        return ['notImported', 'it was not restored from its copy'];
      case 'remove':
        return ['unaccounted', 'the run was to delete it'];
      case undefined:
        return judgePackage(item);
    }
  };
}

/** Decides about items missing from the plan, by the source's results. */
function packageJudge(evidence: LedgerEvidence): (item: RequestedItem) => Verdict {
  const { exported, plan, nothingExported, posted } = evidence;
  const { done, skipped, failed } = resultsIn(exported);
  const answered = plan !== undefined || nothingExported === true;
  const ended: Verdict =
    posted > 0
      ? ['unaccounted', 'the target imported without a plan']
      : ['notImported', 'the run ended before its import'];
  // If neither plan nor source names anything, the package's content is unknown.
  const isKnown = answered || Object.values(exported ?? {}).some((entries) => entries.length > 0);
  return ({ itemId, skip: leftOut, doubt, excluded, same }) => {
    const seen = same?.as === 'skipped' ? same.reason || `the source skipped it in ${same.runId}` : undefined;
    const skip = leftOut ?? seen;
    if (excluded) return ['skipped', skip];
    if (failed.has(itemId)) return ['failed', failed.get(itemId) ?? 'the source could not export it'];
    if (done.has(itemId))
      return answered
        ? ['unaccounted', 'the source says it was exported, but no package contains it']
        : ended;
    if (skip) return ['skipped', skip];
    if (skipped.has(itemId)) return ['skipped', skipped.get(itemId) ?? (doubt || 'the source skipped it')];
    if (doubt && isKnown) return ['skipped', doubt];
    return answered ? ['unaccounted', 'in no package, and the source gives no reason'] : ended;
  };
}

function importJudge(evidence: LedgerEvidence): (row: PlanRow) => Verdict {
  const { imported, posted, importFailure } = evidence;
  const results = imported.map((lists) => lists && resultsIn(lists));
  return (row) => {
    const { itemId, packageIndex } = row;
    if (packageIndex === undefined || packageIndex >= posted)
      return ['notImported', 'the run ended before its import'];
    const told = results[packageIndex];
    if (!told)
      return judgeLost(row, evidence.onTarget, packageIndex === posted - 1 ? importFailure : undefined);
    const { done, failed, skipped } = told;
    if (failed.has(itemId)) return ['failed', failed.get(itemId) ?? 'the target could not import it'];
    if (skipped.has(itemId)) return ['failed', skipped.get(itemId) ?? 'the target skipped it'];
    return done.has(itemId) ? ['imported'] : ['unaccounted', 'the target does not report its result'];
  };
}

/**
 * If the import's response was lost, or says that everything failed, only items that are new or changed on the
 * target are known to be imported.
 */
function judgeLost(
  { itemId, action, target }: PlanRow,
  onTarget: LedgerEvidence['onTarget'],
  importFailure: string | undefined,
): Verdict {
  const lost = importFailure ?? 'the response to the import was lost';
  const undone = (seen: string): Verdict =>
    importFailure === undefined ? ['unaccounted', `${lost}, and it is ${seen}`] : ['failed', lost];
  if (!onTarget) return ['unaccounted', `${lost}, and the target was not checked`];
  if (!onTarget.has(itemId)) return undone('missing');
  if (action === 'create') return ['imported'];
  const now = onTarget.get(itemId);
  if (now === undefined || target?.modified === undefined)
    return ['unaccounted', `${lost}, and the target does not report when it was changed`];
  return now === target.modified ? undone('unchanged') : ['imported'];
}

/** An imported row takes precedence over other rows of the same item. */
function rowsById(plan: readonly PlanRow[] = []): Map<string, PlanRow> {
  const asked = (row: PlanRow): boolean => row.action === 'create' || row.action === 'overwrite';
  return new Map(
    [...plan].sort((a, b) => Number(asked(a)) - Number(asked(b))).map((row) => [row.itemId, row]),
  );
}

/** Items by result, each with the first reason given. */
const resultsIn = (lists: JobLists | undefined) => ({
  done: reasons(lists?.done),
  failed: reasons(lists?.failed),
  skipped: reasons(lists?.skipped),
});

function reasons(entries: JobLists['done'] = []): ReadonlyMap<string, string | undefined> {
  const found = new Map<string, string | undefined>();
  for (const { itemId, reason } of entries)
    if (itemId) found.set(itemId, found.get(itemId) ?? (reason || undefined));
  return found;
}

/** The results of a bisect's child run. */
export interface BisectedPart {
  readonly lists: Ledger;
  /** The portal message if a single item failed. */
  readonly failing?: string;
}

type LastWord = readonly [list: LedgerList, entry: LedgerEntry];

/**
 * The results of a bisect: the last result of each item counts, because failed parts were halved and retried. Items
 * imported by an earlier part stay imported, although a later plan keeps them.
 */
export function unitedLedger(
  itemIds: readonly string[],
  known: Ledger | undefined,
  parts: readonly BisectedPart[],
): Ledger {
  const words = new Map<string, LastWord>();
  const called = new Map(entriesOf(known).map(([, entry]) => [entry.itemId, entry]));
  for (const itemId of itemIds) {
    const { type, title } = called.get(itemId) ?? {};
    words.set(itemId, ['notImported', { itemId, type, title, reason: 'the bisect ended before its import' }]);
  }
  for (const { lists, failing } of parts) {
    for (const [list, entry] of entriesOf(lists)) {
      const before = words.get(entry.itemId);
      if (!before || (before[0] === 'imported' && list !== 'imported')) continue;
      words.set(
        entry.itemId,
        failing === undefined || list === 'imported'
          ? [list, entry]
          : ['failed', { ...entry, reason: failing }],
      );
    }
  }
  const joined = emptyLedger();
  for (const [list, entry] of words.values()) joined[list].push(entry);
  return joined;
}

const entriesOf = (lists: Ledger | undefined): LastWord[] =>
  lists ? ledgerLists.flatMap((list) => lists[list].map((entry): LastWord => [list, entry])) : [];
