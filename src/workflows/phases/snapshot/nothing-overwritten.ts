import type { RollbackInput } from '../../../model/run/snapshot-input';
import { reading } from '../../run/calls';
import { phase, type PhaseEnd } from '../../run/phase';
import type { TransferRun } from '../../transfer/transfer-run';
import { refusal } from '../../run/failure';
import { passAll } from '../guard';

/** Before a run is undone that took no safeguard: that there is nothing to restore, and where it had created items. */
export const nothingOverwritten = ({ parent }: RollbackInput) =>
  phase({
    name: 'guard',
    gives: ['target'],
    async run(run: TransferRun, _found, give): Promise<PhaseEnd> {
      const end = run.ends.target;
      const inspected = reading('the portal').inspectEnd({ end, side: 'target' });
      await passAll(run, [inspected.then(({ results }) => results)]);
      const { facts } = await inspected;
      if (!facts) throw refusal('INTERNAL', 'the portal was not told');
      give({ target: facts });
      const group = reading(`group on ${facts.name}`).inspectGroup({ facts, groupId: end.groupId });
      const overwritten = reading(`what ${parent} overwrote`).checkOverwritten({ of: parent });
      await passAll(run, [group.then(({ results }) => results), overwritten]);
      const { title } = await group;
      run.entitle({ source: title, target: title });
      return { detail: `${parent} overwrote nothing` };
    },
  });
