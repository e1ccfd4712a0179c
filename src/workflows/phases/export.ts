import { sweeping, reading } from '../run/activity-options';
import { known } from '../run/facts';
import type { Phase } from '../run/phase';
import { endWithoutPackage, startExport, packageOf } from '../transfer/export-job';
import { inHalves } from '../transfer/halved-package';
import type { TransferRun } from '../transfer/transfer-run';

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
    const one = known(run, 'toFetch');
    const { index, round } = one;
    const leavesOut = exclude || requested.same || packages.length > 1 ? true : undefined;
    const [counted, asked] = await Promise.allSettled([
      // Counted during the export, because verification compares the target's rows with it.
      requested.hosted > 0 && !run.facts.rowsRead && index === 0
        ? sweeping('rows of hosted layers', source.name).countSource({ runId, source })
        : undefined,
      startExport(
        run,
        { name: 'export', side: 'source', part: index },
        { items, itemList, leavesOut, round },
      ),
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
    const one = known(run, 'toFetch');
    const job = { name: 'export', side: 'source', part: one.index } as const;
    const made = await packageOf(run, job, known(one, 'exported')).catch((thrown: unknown) =>
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
    return { detail: made.detail, attempts: made.polls };
  },
};
