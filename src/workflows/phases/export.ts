import { sweeping } from '../run/activity-options';
import { known } from '../run/facts';
import { endWithoutPackage, startExport } from '../transfer/export-job';
import { phase, type PhaseEnd } from '../run/phase';
import type { TransferRun } from '../transfer/transfer-run';

/** Starts the export of the group on the source. */
export const exportGroup = phase({
  name: 'export',
  isBrief: true,
  needs: ['source', 'requested'],
  async run(run: TransferRun, { source, requested }): Promise<PhaseEnd> {
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
    return endWithoutPackage(source.name, started);
  },
});
