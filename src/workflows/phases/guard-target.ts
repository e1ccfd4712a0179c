import type { OpenSnapshot } from '../../activities/snapshot/restores';
import { reading, sweeping, transferring } from '../run/calls';
import { phase, type PhaseEnd } from '../run/phase';
import type { TransferRun } from '../transfer/transfer-run';
import { refusal } from '../run/failure';
import { passAll } from './guard';

type Desired = Pick<OpenSnapshot, 'snapshotId' | 'purpose'>;

/** Everything that must be so before a snapshot goes to a portal; the snapshot is read to its last byte. */
export const guardTarget = ({ snapshotId, purpose }: Desired) =>
  phase({
    name: 'guard',
    gives: ['source', 'target', 'requested', 'copies', 'snapshotId', 'package'],
    async run(run: TransferRun, _found, give): Promise<PhaseEnd> {
      const route = run.ends;
      const { runId } = run.input;
      const inspected = reading('the portal').inspectEnd({ end: route.target, side: 'target' });
      await passAll(run, [inspected.then(({ results }) => results)]);
      const { facts: target } = await inspected;
      if (!target) throw refusal('INTERNAL', 'the portal was not told');
      give({ target });

      const { groupId } = route.target;
      const group = reading(`group on ${target.name}`).inspectGroup({ facts: target, groupId });
      const minBytes = route.options.limits.freeDiskBytes;
      const disk = reading(`disk on ${target.name}`).checkDisk({ portal: target, minBytes });
      const opened = sweeping('the snapshot').openSnapshot({ runId, route, target, snapshotId, purpose });
      await passAll(run, [group.then(({ results }) => results), disk, opened.then(({ results }) => results)]);
      const { id, source, requested, package: stored, copies, groupTitle } = await opened;
      run.entitle({ source: groupTitle, target: (await group).title });
      give({ source, requested, copies, snapshotId: id });
      run.show({
        snapshot: { id, sha256: stored?.sha256, sizeBytes: stored?.sizeBytes, items: savedOf(requested) },
      });
      if (stored) {
        await transferring('the stored package', run.transferQueue).checkStored(stored);
        give({ package: stored });
        const { sizeBytes, sha256 } = stored;
        run.show({ package: { sizeBytes, sha256, sourceVersion: source.version } });
      }
      const versions = `${source.release?.text ?? '?'} -> ${target.release?.text ?? '?'}`;
      return { detail: `${versions}, ${savedOf(requested)} items of snapshot ${id}` };
    },
  });

const savedOf = ({ count, skipped }: { count: number; skipped: number }): number => count - skipped;
