import type { BackupInput } from '../../model/run/snapshot-input';
import { reading, sweeping } from '../run/calls';
import { phase, type PhaseEnd } from '../run/phase';
import type { TransferRun } from '../transfer/transfer-run';
import { refusal } from '../run/failure';
import { hasShrunk, passAll } from './guard';

/** Everything that must be so before a backup; and whether there is anything new to keep. */
export const guardSource = ({ force }: BackupInput) =>
  phase({
    name: 'guard',
    gives: ['source', 'requested', 'shrunk', 'rowsRead'],
    async run(run: TransferRun, _found, give): Promise<PhaseEnd> {
      const { route } = run;
      const { runId } = run.input;
      const inspected = reading('the portal').inspectEnd({ end: route.source, side: 'source' });
      await passAll(run, [inspected.then(({ results }) => results)]);
      const { facts: source } = await inspected;
      if (!source) throw refusal('INTERNAL', 'the portal was not told');
      give({ source });

      const group = reading(`group on ${source.name}`).inspectGroup({
        facts: source,
        groupId: route.source.groupId,
      });
      await passAll(run, [group.then(({ results }) => results)]);
      run.entitle({ source: (await group).title });

      const minBytes = route.options.limits.freeDiskBytes;
      const listed = sweeping('the group').listRequested({ runId, route, source });
      const disk = reading(`disk on ${source.name}`).checkDisk({ portal: source, minBytes });
      await passAll(run, [listed.then(({ results }) => results), disk]);
      const { results: _, lastRequested, ...requested } = await listed;
      const shrunk = hasShrunk(run, requested.inGroup, lastRequested);
      give({ requested, shrunk });
      if (requested.count === 0) return { detail: 'the group holds no item', then: 'end' };

      const room = reading('room in the store').checkStore({ neededBytes: requested.knownBytes });
      await passAll(run, [room]);

      const seen = await sweeping('what has changed').readGroupNow({ runId, route, source });
      give({ rowsRead: true });
      if (seen.same && !force && !shrunk) {
        run.show({ snapshot: { ...seen.snapshot, unchanged: true } });
        return { detail: `unchanged, see snapshot ${seen.snapshot.id}`, then: 'end' };
      }
      const why = seen.same ? 'asked for all the same' : seen.because;
      return { detail: `${source.release?.text ?? '?'}, ${requested.count} items; ${why}` };
    },
  });
