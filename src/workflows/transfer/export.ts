import { sweeping, reading, writing } from '../run/activity-options';
import { requireFact, holds, sideOf } from '../run/memory';
import type { Phase, PhaseEnd } from '../run/phase';
import { type TransferRun, newPackages, type RunPackage } from './transfer-run';
import type { ExportStarted, NothingExported, StartExport } from '../../activities/transfer/exports';
import type { ListSizes } from '../../model/transfer/job';
import { mayHaveBegun, refusal, errorRecordOf } from '../run/failure';
import { findPackage, waitForJob } from './portal-job';

/** Starts the export of the group on the source. */
export const exportGroup: Phase<TransferRun> = {
  name: 'export',
  isBrief: true,
  async run(run) {
    const source = run.need('source');
    const requested = run.need('requested');
    const { route, packages } = run;
    const { runId } = run.input;
    const { items, itemList, exclude } = route.options;
    const one = requireFact(run, 'toFetch');
    const { index, round } = one;
    const leavesOut = exclude || requested.same || packages.length > 1 ? true : undefined;
    const [counted, asked] = await Promise.allSettled([
      // Counted during the export, because verification compares the target's rows with it.
      requested.hosted > 0 && !run.facts.rowsRead && index === 0
        ? sweeping('rows of hosted layers', source.name).countSource({ runId, source })
        : undefined,
      startExport(run, { name: 'export', packageIndex: index }, { items, itemList, leavesOut, round }),
    ]);
    if (asked.status === 'rejected') throw asked.reason;
    const started = asked.value;
    one.exported = started;
    if (counted.status === 'rejected') throw counted.reason;
    const which = packages.length > 1 ? `package ${index + 1} of ${packages.length}, of ` : '';
    if (started.kind !== 'nothing')
      return {
        detail: `${which}${requested.count - requested.skipped - (requested.same ?? 0)} of ${requested.count} items`,
      };
    return endWithoutPackage(run, started);
  },
};

/** Waits for the package on the source. A sync then uses it to check that the target is another portal. */
export const waitExport: Phase<TransferRun> = {
  name: 'wait-export',
  goesOnAs: 'export',
  async run(run) {
    const source = run.need('source');
    const one = requireFact(run, 'toFetch');
    const job = { name: 'export', packageIndex: one.index } as const;
    const made = await packageOf(run, job, requireFact(one, 'exported')).catch((thrown: unknown) =>
      inHalves(run, one, thrown),
    );
    if ('then' in made) return made;
    if ('kind' in made) {
      one.exported = made;
      await run.portalQueues.leave(run.route.source, 'export');
      return endWithoutPackage(run, made);
    }
    one.onSource = made.itemId;
    const { target } = run.facts;
    // One package per run suffices as evidence.
    if (target && one.index === 0)
      await reading('whether source and target differ', target.name).proveTwoPortals({
        source,
        target,
        packageItemId: made.itemId,
      });
    // Together with the record: Temporal Cloud bills local activities of one task as one action.
    await run.portalQueues.leave(run.route.source, 'export');
    return { detail: made.detail };
  },
};

interface ExportJob {
  readonly name: 'export' | 'safeguard';
  /** Index of the package, from 0. */
  readonly packageIndex: number;
  /** The run keeps its slot for its next export. @default false */
  readonly stays?: boolean;
}

interface ExportedPackage {
  readonly itemId: string;
  readonly detail: string;
}

/**
 * Ends a phase whose export made no package. If no item can be exported, nothing is left to do, except in a backup that
 * shares items with an earlier one. Otherwise throws EXPORT_FAILED.
 */
function endWithoutPackage(run: TransferRun, { done, failed, skipped }: NothingExported): PhaseEnd {
  const { name: portal } = run.need('source');
  if (done + failed > 0)
    throw refusal(
      'EXPORT_FAILED',
      `${portal} created no package: ${done} items exported, ${failed} failed, ${skipped} skipped`,
    );
  const goesOn = !run.route.target && (run.facts.requested?.same ?? 0) > 0;
  return { detail: 'no item of the group can be exported', then: goesOn ? undefined : 'end' };
}

/**
 * Waits for an export's package; some jobs end without one. A portal job cannot be stopped, so cancelling waits too.
 * Otherwise nobody would remove its package.
 */
export async function packageOf(
  run: TransferRun,
  job: ExportJob,
  started: ExportStarted,
): Promise<ExportedPackage | NothingExported> {
  const { name } = job;
  const side = sideOf(name);
  if (started.kind === 'nothing') throw refusal('INTERNAL', 'the export finished without a package');
  if (started.kind === 'package') {
    run.warn(started.unmarked);
    holds(run.work, side, started.packageItemId);
    return { itemId: started.packageItemId, detail: 'the portal finished at once' };
  }
  const { packageItemId, status, lists } = await waitForJob(run, { ...job, ...started });
  if (packageItemId) {
    holds(run.work, side, packageItemId);
    return { itemId: packageItemId, detail: detailOf(lists) };
  }
  if (lists) return { kind: 'nothing', ...lists };
  throw refusal(
    'BAD_RESPONSE',
    `${run.need(side).name} ended its ${name} job as "${status}" without a package or lists`,
  );
}

function detailOf(lists?: ListSizes): string {
  const { done = 0, skipped = 0, failed = 0 } = lists ?? {};
  if (done + skipped + failed === 0) return 'the package is ready';
  return `${done} exported, ${skipped} skipped, ${failed} failed`;
}

/** Starts an export in a slot. It counts as open from the request until its end is known. */
export async function startExport(
  run: TransferRun,
  job: ExportJob,
  more: Pick<StartExport, 'items' | 'itemList' | 'leavesOut' | 'planRef' | 'round'>,
): Promise<ExportStarted> {
  const { name, packageIndex } = job;
  const side = sideOf(name);
  const portal = run.need(side);
  const { runId } = run.input;
  await run.portalQueues.enter(run.end(side), 'export');
  run.work.written[side] = true;
  run.work.jobs[name] = { name, packageIndex, startedAt: Date.now() };
  try {
    const started = await writing(name, portal.name).startExport({
      runId,
      purpose: name,
      portal,
      groupId: run.end(side).groupId,
      decisions: run.memory.parks,
      packageIndex,
      ...more,
    });
    if (started.kind !== 'job') run.work.jobs[name] = undefined;
    if (started.kind === 'nothing' && !job.stays) await run.portalQueues.leave(run.end(side), 'export');
    return started;
  } catch (thrown) {
    if (!mayHaveBegun(thrown, run.route)) run.work.jobs[name] = undefined;
    throw thrown;
  }
}

/**
 * Splits a package that exceeds the limit in two, and exports the first half. Rethrows other errors, and throws
 * PACKAGE_TOO_LARGE if the package holds a single item.
 */
export async function inHalves(
  run: TransferRun,
  one: RunPackage,
  thrown: unknown,
): Promise<PhaseEnd & { readonly then: 'export' }> {
  if (errorRecordOf(thrown, run.route).code !== 'PACKAGE_TOO_LARGE') throw thrown;
  const { packages, route } = run;
  const { index, round, onSource } = one;
  if (onSource !== undefined && !(await saysThatItIsTooLarge(run, onSource))) throw thrown;
  const { parts } = await sweeping('split an oversized package', route.source.portal).halvePart({
    runId: run.input.runId,
    packageIndex: index,
    route,
  });
  // Those behind it, of which nothing is known yet, move on by one.
  run.packages = [
    ...packages.slice(0, index),
    { index, round: round + 1 },
    ...newPackages(parts).slice(index + 1),
  ];
  return {
    status: 'skipped',
    detail: `package ${index + 1} exceeds the limit; now ${parts} packages`,
    then: 'export',
  };
}

/** Whether the item's size exceeds the limit too. If not, the download was endless, which splitting cannot fix. */
async function saysThatItIsTooLarge(run: TransferRun, itemId: string): Promise<boolean> {
  const { sizeBytes = 0 } = await findPackage(run, 'source', itemId);
  return sizeBytes > run.route.options.limits.packageBytes;
}
