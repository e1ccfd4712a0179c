import { sweeping, writing } from '../calls';
import { have } from '../carried';
import { refusal } from '../failure';
import { enterExport } from '../export-job';
import type { Phase, PhaseEnd } from '../run';

/** Asks the source to put the group into a package. */
export const exportGroup: Phase = {
  name: 'export',
  async run(run): Promise<PhaseEnd> {
    const { runId, route } = run.input;
    const source = have(run.carried, 'source');
    const requested = have(run.carried, 'requested');
    // Counted before the package is made: what the target holds afterwards is compared with this.
    if (requested.hosted > 0) await sweeping('rows of hosted layers').countSource({ runId, source });
    const started = await enterExport(run, 'source', () =>
      writing(`export from ${source.name}`).startExport({
        runId,
        purpose: 'export',
        portal: source,
        groupId: route.source.groupId,
        items: route.options.items,
      }),
    );
    run.carried.exported = started;
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
