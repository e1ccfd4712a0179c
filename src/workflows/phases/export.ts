import { sweeping } from '../run/activity-options';
import { endWithoutPackage, startExport } from '../transfer/export-job';
import { phase, type PhaseEnd } from '../run/phase';
import type { TransferRun } from '../transfer/transfer-run';

/** Starts the export of the group on the source. */
export const exportGroup = phase({
  name: 'export',
  isBrief: true,
  needs: ['source', 'requested'],
  gives: ['exported'],
  async run(run: TransferRun, { source, requested }, give): Promise<PhaseEnd> {
    const { route } = run;
    const { runId } = run.input;
    const { items, itemList, exclude } = route.options;
    // A resume starts over here if one of several packages is missing from the store.
    if (run.packages.count >= run.parts) run.packages.startOver();
    const { index, part } = run.packages;
    const leavesOut = exclude || requested.same || run.parts > 1 ? true : undefined;
    const [counted, asked] = await Promise.allSettled([
      // Counted during the export, because verification compares the target's rows with it.
      requested.hosted > 0 && !run.facts.rowsRead && index === 0
        ? sweeping('rows of hosted layers', source.name).countSource({ runId, source })
        : undefined,
      startExport(
        run,
        { name: 'export', side: 'source' },
        { items, itemList, leavesOut, part, round: run.packages.round },
      ),
    ]);
    if (asked.status === 'rejected') throw asked.reason;
    const started = asked.value;
    give({ exported: started });
    if (counted.status === 'rejected') throw counted.reason;
    const which = run.parts > 1 ? `package ${index + 1} of ${run.parts}, of ` : '';
    if (started.kind !== 'nothing')
      return {
        detail: `${which}${requested.count - requested.skipped - (requested.same ?? 0)} of ${requested.count} items`,
      };
    return endWithoutPackage(source.name, started);
  },
});
