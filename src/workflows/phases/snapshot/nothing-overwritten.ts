import type { RollbackInput } from '../../../model/run/snapshot-input';
import { reading } from '../../run/calls';
import { have } from '../../run/context';
import type { Phase, PhaseEnd } from '../../run/run';
import { passAll } from '../guard';

/** Before a run is undone that took no safeguard: that there is nothing to restore, and where it had created items. */
export const nothingOverwritten = ({ parent }: RollbackInput): Phase => ({
  name: 'guard',
  async run(run): Promise<PhaseEnd> {
    const end = run.ends.target;
    const inspected = reading('the portal').inspectEnd({ end, side: 'target' });
    await passAll(run, [inspected.then(({ results }) => results)]);
    run.context.target = (await inspected).facts;
    const facts = have(run.context, 'target');
    const group = reading(`group on ${facts.name}`).inspectGroup({ facts, groupId: end.groupId });
    const overwritten = reading(`what ${parent} overwrote`).checkOverwritten({ of: parent });
    await passAll(run, [group.then(({ results }) => results), overwritten]);
    const { title } = await group;
    Object.assign(run.state.route.source, { groupTitle: title });
    if (run.state.route.target) run.state.route.target.groupTitle = title;
    return { detail: `${parent} overwrote nothing` };
  },
});
