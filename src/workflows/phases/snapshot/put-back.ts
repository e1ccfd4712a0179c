import type { RollbackInput } from '../../../model/run/snapshot-input';
import { sweeping } from '../../run/calls';
import { have } from '../../run/context';
import { accountFor } from '../ledger';
import type { Phase, PhaseEnd } from '../../run/run';

/** Puts back what the safeguard holds as copies, and deals with what the undone run had created. */
export const putBack = ({ parent, deleteCreated }: RollbackInput): Phase => ({
  name: 'put-back',
  async run(run): Promise<PhaseEnd> {
    const { runId } = run.input;
    const target = have(run.context, 'target');
    const details: string[] = [];
    if (run.context.copies) {
      run.state.target = 'changed';
      run.context.isOnTarget = true;
      const { done, differing } = await sweeping(`copies on ${target.name}`).putBack({
        runId,
        target,
        snapshotId: have(run.context, 'snapshotId'),
        route: run.ends,
      });
      for (const each of differing) run.warn(each);
      run.context.notSaved = differing.length;
      details.push(`${done} put back`);
      await accountFor(run);
    }
    const before = run.state.target;
    // Should the call fail, it may have removed some all the same.
    if (deleteCreated && before === 'untouched') run.state.target = 'unknown';
    const { isUnknown, ...created } = await sweeping('what the undone run created').handleCreated({
      runId,
      of: parent,
      target,
      remove: deleteCreated ?? false,
    });
    run.state.created = created;
    const { removed, there } = created;
    if (isUnknown)
      run.warn(
        `${parent} ended before it could note what it created; look at its plan: portolan run show ${parent} --plan`,
      );
    run.context.notSaved = (run.context.notSaved ?? 0) + there.filter(({ failed }) => failed).length;
    run.state.target = removed.length > 0 ? 'changed' : before;
    if (there.length > 0) details.push(`${there.length} created by ${parent} are still there`);
    if (removed.length > 0) details.push(`${removed.length} created by ${parent} removed`);
    return { detail: details.join(', ') || 'nothing to put back' };
  },
});
