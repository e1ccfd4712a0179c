import type { BackupInput } from '../../model/run/snapshot-input';
import { reading, sweeping } from '../run/calls';
import { have } from '../run/context';
import type { Phase, PhaseEnd } from '../run/run';
import { judgeShrink, passAll } from './guard';

/** Everything that must be so before a backup; and whether there is anything new to keep. */
export const guardSource = ({ force }: BackupInput): Phase => ({
  name: 'guard',
  async run(run): Promise<PhaseEnd> {
    const { route } = run;
    const { runId } = run.input;
    const inspected = reading('the portal').inspectEnd({ end: route.source, side: 'source' });
    await passAll(run, [inspected.then(({ results }) => results)]);
    run.context.source = (await inspected).facts;
    const source = have(run.context, 'source');

    const group = reading(`group on ${source.name}`).inspectGroup({
      facts: source,
      groupId: route.source.groupId,
    });
    await passAll(run, [group.then(({ results }) => results)]);
    run.state.route.source.groupTitle = (await group).title;

    const minBytes = route.options.limits.freeDiskBytes;
    const listed = sweeping('the group').listRequested({ runId, route, source });
    const disk = reading(`disk on ${source.name}`).checkDisk({ portal: source, minBytes });
    await passAll(run, [listed.then(({ results }) => results), disk]);
    const { results: _, lastRequested, ...requested } = await listed;
    run.context.requested = requested;
    judgeShrink(run, requested.inGroup, lastRequested);
    if (requested.count === 0) return { detail: 'the group holds no item', then: 'end' };

    const room = reading('room in the store').checkStore({ neededBytes: requested.knownBytes });
    await passAll(run, [room]);

    const seen = await sweeping('what has changed').readGroupNow({ runId, route, source });
    run.context.rowsRead = true;
    if (seen.same && !force && !run.context.shrunk) {
      run.state.snapshot = { ...seen.snapshot, unchanged: true };
      return { detail: `unchanged, see snapshot ${seen.snapshot.id}`, then: 'end' };
    }
    const why = seen.same ? 'asked for all the same' : seen.because;
    return { detail: `${source.release?.text ?? '?'}, ${requested.count} items; ${why}` };
  },
});
