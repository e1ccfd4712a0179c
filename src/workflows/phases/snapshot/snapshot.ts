import { bytesText } from '../../../model/text/bytes-text';
import type { BackupInput } from '../../../model/run/snapshot-input';
import { countOf } from '../../../model/text/words';
import { sweeping } from '../../run/activity-options';
import { phase, type PhaseEnd } from '../../run/phase';
import type { TransferRun } from '../../transfer/transfer-run';

/** Makes a snapshot of the new package and reused earlier ones. It exists once its manifest is written. */
export const snapshot = ({ tags, scheduledBy, fullEveryMs, documents }: BackupInput) =>
  phase({
    name: 'snapshot',
    needs: ['source', 'requested'],
    gives: ['notSaved'],
    async run(run: TransferRun, { source, requested }, give): Promise<PhaseEnd> {
      const { route } = run;
      const { source: { groupTitle } = {} } = run.state.route;
      const packages = run.packages.flatMap(({ stored }) => stored ?? []);
      const kept = await sweeping('new snapshot', source.name).keepSnapshot({
        runId: run.input.runId,
        route,
        source,
        groupTitle,
        packages,
        isBasis: fullEveryMs === undefined ? undefined : true,
        tags,
        ...(documents && { documents }),
        scheduledBy,
        shrunk: run.facts.shrunk ?? false,
        requested: requested.inGroup,
      });
      const { failed, clock, ...snapshot } = kept;
      give({ notSaved: failed });
      const { package: shown } = run.state;
      run.show({ snapshot, package: shown && { ...shown, itemCount: snapshot.items } });
      run.warn(clock);
      if (failed > 0)
        run.warn(`${countOf(failed, 'item')} could not be exported; the snapshot is incomplete`);
      const { items, since, sizeBytes, addedBytes = 0 } = snapshot;
      const size =
        since === undefined
          ? bytesText(sizeBytes)
          : `${bytesText(addedBytes)} new, ${bytesText(sizeBytes - addedBytes)} shared with ${since}`;
      return {
        detail: `${countOf(items, 'item')}, ${size}${failed > 0 ? `, ${failed} missing` : ''}`,
        status: failed > 0 ? 'failed' : 'done',
      };
    },
  });
