import type { BisectInput, Reuse, BisectPart } from '../model/run/run-input';
import { hasImportFailed, type RunState } from '../model/run/run-state';
import { countOf } from '../model/text/words';
import { openCount } from '../model/transfer/ledger-lists';
import { reading } from './run/activity-options';
import { defineRun } from './run/run-to-end';
import { refusal } from './run/failure';
import { eachChild, type ChildEnd, runChild } from './run/child-runs';
import type { Kind, Phase } from './run/phase';
import { Run } from './run/run';
import type { RouteOptions } from '../model/transfer/route';

/** A part to try. */
export interface Part extends Omit<BisectPart, 'number'> {
  /** The first half of a failed part: if it succeeds, the other half must contain the failing item. */
  readonly isFirst?: boolean;
}

/**
 * Halves a failed part; the first half comes last, because parts are a stack. The smaller half is tried first: only if
 * it fails does the other one need an import.
 */
function halvesOf({ from, count, reuse }: Part): [second: Part, first: Part] {
  const half = Math.floor(count / 2);
  return [
    { from: from + half, count: count - half, reuse },
    { from, count: half, reuse, isFirst: true },
  ];
}

/**
 * The parts still to try after `part`. A failed part is halved unless it is a single item. If a first half succeeded,
 * its other half must fail, so it is halved untried.
 */
export function afterPart(pending: readonly Part[], part: Part, hasFailed: boolean): Part[] {
  if (hasFailed) return part.count > 1 ? [...pending, ...halvesOf(part)] : [...pending];
  const second = pending.at(-1);
  if (!part.isFirst || !second || second.count === 1) return [...pending];
  return [...pending.slice(0, -1), ...halvesOf(second)];
}

/** The initial parts. */
export function firstParts(count: number, reuse: Reuse | undefined, wholeFailed: boolean): Part[] {
  const whole: Part = { from: 0, count, reuse };
  return wholeFailed && count > 1 ? halvesOf(whole) : [whole];
}

/** After this many single items failed and none succeeded, the cause is the portal. */
const HOPELESS_FROM = 8;

/** Whether the remaining parts would probably fail too. */
export const isHopeless = (pending: readonly Part[], itemsFailed: number, hasArrived: boolean): boolean =>
  pending.length > 0 && itemsFailed >= HOPELESS_FROM && !hasArrived;

const itemCountOf = ({ items, itemList }: RouteOptions): number => itemList?.count ?? items?.length ?? 0;

/** Progress of a bisect. */
interface Progress {
  /** Parts still to try, the next one last. */
  pending: readonly Part[];
  /** Portal messages by single-item run whose import failed. */
  failing: Readonly<Record<string, string>>;
}

/** An open bisect: its remaining parts. */
type BisectRun = Run<BisectInput, Progress>;

/**
 * Tries parts one by one, halving those that fail. Any other failure ends the bisect, because the next part would fail
 * too.
 */
const search: Phase<BisectRun> = {
  name: 'search',
  async run(run) {
    const error = await eachChild(run, pendingParts(run), 1, (part) => tryPart(run, part));
    if (error) return { error, status: 'failed' };
    return {
      detail: `${countOf(run.children.length, 'run')}, ${countOf(Object.keys(run.own.failing).length, 'failing item')}`,
    };
  },
};

function* pendingParts({ own }: BisectRun): Iterable<Part> {
  for (let part = own.pending.at(-1); part; part = own.pending.at(-1)) yield part;
}

/** Tries one part and updates the pending ones. Returns the error if the bisect cannot continue. */
async function tryPart(run: BisectRun, part: Part): Promise<RunState['error']> {
  const { own } = run;
  const pending = own.pending.slice(0, -1);
  own.pending = pending;
  const { state, error } = await syncPart(run, part);
  if (state) note(run, state, part);
  if (!error) {
    own.pending = afterPart(pending, part, false);
  } else if (state && hasImportFailed(state)) {
    if (part.count === 1) own.failing = { ...own.failing, [state.runId]: error.message };
    own.pending = afterPart(pending, { ...part, reuse: part.reuse ?? leftBy(state) }, true);
  } else return error;
  if (isHopeless(own.pending, Object.keys(own.failing).length, hasArrived(run))) throw hopeless(run);
  return undefined;
}

/** Runs the sync of a part to its end. */
async function syncPart(run: BisectRun, part: Part): Promise<ChildEnd> {
  const { route } = run.input;
  const { from, count, reuse } = part;
  const ends = `${route.source.portal} → ${route.target.portal}`;
  const summary = `${countOf(count, 'item')} of a bisect, ${route.name}: ${ends}`;
  const number = run.children.length + 1;
  return await runChild(run, { number, from, count, reuse }, { items: count, summary });
}

function note(run: BisectRun, { target, leftRunning, package: used, runId }: RunState, part: Part): void {
  const { input, state: before } = run;
  if (target === 'changed' || before.target === 'untouched') run.show({ target });
  run.show({ leftRunning: [...before.leftRunning, ...leftRunning] });
  // A later run may reuse the package if it holds all items.
  if (used && (part.reuse === input.reuse || part.count === itemCountOf(input.route.options)))
    run.show({ package: before.package ?? { ...used, of: used.of ?? runId } });
}

/** A failed part's package holds both halves. */
const leftBy = ({ package: left, runId }: RunState): Reuse | undefined =>
  left && { runId: left.of ?? runId, sha256: left.sha256 };

const hasArrived = ({ children }: BisectRun): boolean =>
  children.some(({ status }) => status !== 'failed' && status !== 'cancelled');

function hopeless({ own: { failing } }: BisectRun): Error {
  const words = Object.values(failing);
  return refusal(
    'JOB_FAILED',
    `${words.length} items failed one by one and none was imported, so no single item is the cause; the last one: ${words.at(-1)}`,
  );
}

/** Merges the results of the child runs into one list, however the bisect ended. */
const account: Phase<BisectRun> = {
  name: 'ledger',
  async run(run) {
    const { runId, parent } = run.input;
    const { items, itemList } = run.route.options;
    const children = run.children.map((child) => ({
      runId: child.runId,
      failing: run.own.failing[child.runId],
    }));
    return await run.attempt('the results could not be completed', async () => {
      const chosen = { items, itemList };
      const counts = await reading('results of the child runs').uniteLedgers({
        runId,
        parent,
        chosen,
        children,
      });
      run.show({ items: counts });
      return {
        detail: `${counts.imported} imported, ${counts.failed} failed, ${counts.notImported} not imported, ${counts.unaccounted} unaccounted for`,
      };
    });
  },
};

const kind: Kind<BisectRun> = {
  name: 'bisect',
  bindsTask: true,
  notifies: true,
  followsVersion: true,
  endsParts: true,
  first: ({ route, reuse, wholeFailed }) => ({
    pending: firstParts(itemCountOf(route.options), reuse, wholeFailed),
    failing: {},
  }),
  last: account, // merges the results of the child runs
  verdict({ state: { items }, children }) {
    if (openCount(items) > 0 || !items || children.some(({ status }) => status === 'partial'))
      return 'partial';
    return items.imported > 0 ? 'succeeded' : 'nothing-to-do';
  },
};

/**
 * Finds the items that make an import fail, by halving. Each part is a sync with one import, which imports the good
 * items on the way.
 */
export const bisect = defineRun<BisectInput, BisectRun>(kind, Run, () => [search]);
