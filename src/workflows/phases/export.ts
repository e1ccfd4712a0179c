import { sweeping } from '../run/activity-options';
import { endWithoutPackage, startExport } from '../transfer/export-job';
import { phase, type PhaseEnd } from '../run/phase';
import type { TransferRun } from '../transfer/transfer-run';

/** Asks the source to put the group into a package. */
export const exportGroup = phase({
  name: 'export',
  isBrief: true,
  needs: ['source', 'requested'],
  gives: ['exported'],
  async run(run: TransferRun, { source, requested }, give): Promise<PhaseEnd> {
    const { route } = run;
    const { runId } = run.input;
    const { items, itemList, exclude } = route.options;
    // A resume comes here where one of several was lost in the store.
    if (run.packages.count >= run.parts) run.packages.startOver();
    const { index, part } = run.packages;
    const leavesOut = exclude || requested.same || run.parts > 1 ? true : undefined;
    const [counted, asked] = await Promise.allSettled([
      // Counted while the package is made: what the target holds afterwards is compared with this.
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
