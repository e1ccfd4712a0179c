import { bytesText } from '../../../model/text/bytes-text';
import type { BackupInput } from '../../../model/run/snapshot-input';
import { sweeping } from '../../run/calls';
import { have } from '../../run/context';
import type { Phase, PhaseEnd } from '../../run/run';

/** Makes a snapshot of the package that came into the store: it exists when its manifest does. */
export const snapshot = ({ tags, scheduledBy }: BackupInput): Phase => ({
  name: 'snapshot',
  async run(run): Promise<PhaseEnd> {
    const { route } = run;
    const { groupTitle } = run.state.route.source;
    const kept = await sweeping('the snapshot').keepSnapshot({
      runId: run.input.runId,
      route,
      source: have(run.context, 'source'),
      groupTitle,
      package: have(run.context, 'package'),
      tags,
      scheduledBy,
      shrunk: run.context.shrunk ?? false,
      requested: have(run.context, 'requested').inGroup,
    });
    const { failed, ...snapshot } = kept;
    run.context.notSaved = failed;
    run.state.snapshot = snapshot;
    if (run.state.package) run.state.package = { ...run.state.package, itemCount: snapshot.items };
    if (failed > 0) run.warn(`${failed} items could not be exported: the snapshot is not complete`);
    return {
      detail: `${snapshot.items} items, ${bytesText(snapshot.sizeBytes)}${failed > 0 ? `, ${failed} missing` : ''}`,
      status: failed > 0 ? 'failed' : 'done',
    };
  },
});
