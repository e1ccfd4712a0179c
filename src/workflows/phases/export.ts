import { sweeping } from '../run/calls';
import { have } from '../run/context';
import { startExport } from './export-job';
import { refusal } from '../run/failure';
import type { Phase, PhaseEnd } from '../run/run';

/** Asks the source to put the group into a package. */
export const exportGroup: Phase = {
  name: 'export',
  async run(run): Promise<PhaseEnd> {
    const { route } = run;
    const { runId } = run.input;
    const source = have(run.context, 'source');
    const requested = have(run.context, 'requested');
    const { items, itemList } = route.options;
    const [counted, asked] = await Promise.allSettled([
      // Counted while the package is made: what the target holds afterwards is compared with this.
      requested.hosted > 0 && !run.context.rowsRead
        ? sweeping('rows of hosted layers').countSource({ runId, source })
        : undefined,
      startExport(run, { name: 'export', side: 'source' }, { items, itemList }),
    ]);
    if (asked.status === 'rejected') throw asked.reason;
    const started = asked.value;
    run.context.exported = started;
    if (counted.status === 'rejected') throw counted.reason;
    if (started.kind !== 'nothing')
      return { detail: `${requested.count - requested.skipped} of ${requested.count} items` };
    if (started.failed > 0) {
      throw refusal(
        'EXPORT_FAILED',
        `${source.name} exported nothing: ${started.failed} items failed, ${started.skipped} were skipped`,
      );
    }
    return { detail: 'no item of the group can be exported', then: 'end' };
  },
};
