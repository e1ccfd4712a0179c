import type { OpenSnapshot } from '../../activities/snapshot/restores';
import { reading, sweeping, transferring } from '../run/calls';
import { have } from '../run/context';
import type { Phase, PhaseEnd } from '../run/run';
import { passAll } from './guard';

type Desired = Pick<OpenSnapshot, 'snapshotId' | 'purpose'>;

/** Everything that must be so before a snapshot goes to a portal; the snapshot is read to its last byte. */
export const guardTarget = ({ snapshotId, purpose }: Desired): Phase => ({
  name: 'guard',
  async run(run): Promise<PhaseEnd> {
    const route = run.ends;
    const { runId } = run.input;
    const inspected = reading('the portal').inspectEnd({ end: route.target, side: 'target' });
    await passAll(run, [inspected.then(({ results }) => results)]);
    run.context.target = (await inspected).facts;
    const target = have(run.context, 'target');

    const { groupId } = route.target;
    const group = reading(`group on ${target.name}`).inspectGroup({ facts: target, groupId });
    const minBytes = route.options.limits.freeDiskBytes;
    const disk = reading(`disk on ${target.name}`).checkDisk({ portal: target, minBytes });
    const opened = sweeping('the snapshot').openSnapshot({ runId, route, target, snapshotId, purpose });
    await passAll(run, [group.then(({ results }) => results), disk, opened.then(({ results }) => results)]);
    if (run.state.route.target) run.state.route.target.groupTitle = (await group).title;

    const { id, source, requested, package: stored, copies, groupTitle } = await opened;
    run.state.route.source.groupTitle = groupTitle;
    run.context.source = source;
    run.context.requested = requested;
    run.context.copies = copies;
    run.context.snapshotId = id;
    run.state.snapshot = {
      id,
      sha256: stored?.sha256,
      sizeBytes: stored?.sizeBytes,
      items: savedOf(requested),
    };
    if (stored) {
      await transferring('the stored package', run.transferQueue).checkStored(stored);
      run.context.package = stored;
      run.state.package = {
        sizeBytes: stored.sizeBytes,
        sha256: stored.sha256,
        sourceVersion: source.version,
      };
    }
    const versions = `${source.release?.text ?? '?'} -> ${target.release?.text ?? '?'}`;
    return { detail: `${versions}, ${savedOf(requested)} items of snapshot ${id}` };
  },
});

const savedOf = ({ count, skipped }: { count: number; skipped: number }): number => count - skipped;
