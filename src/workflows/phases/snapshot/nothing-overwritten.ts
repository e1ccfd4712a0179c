import type { RollbackInput } from '../../../model/run/snapshot-input';
import { askedBy } from '../../../model/run/policy';
import { guardSteps } from '../../../model/transfer/guard-steps';
import { reading } from '../../run/activity-options';
import { phase, type PhaseEnd } from '../../run/phase';
import { lookAtGroup, promotedTo, walkGuards } from '../../transfer/guards';
import type { TransferRun } from '../../transfer/transfer-run';

/** Checks that a run without a safeguard overwrote nothing. */
export const nothingOverwritten = ({ parent, deleteCreated }: RollbackInput) =>
  phase({
    name: 'guard',
    gives: ['target', 'ruling'],
    async run(run: TransferRun, _found, give): Promise<PhaseEnd> {
      await walkGuards(run, guardSteps.rollback, {
        portals: async () => {
          const asked = deleteCreated ? askedBy('restore', run.ends, promotedTo(run)) : undefined;
          const end = { end: run.ends.target, side: 'target', asked } as const;
          const { facts, ruling, results } = await reading(
            `portal ${run.ends.target.portal}`,
            run.ends.target.portal,
          ).inspectEnd(end);
          return { results, keep: () => give({ target: facts, ruling }) };
        },
        'target group': () => lookAtGroup(run, 'target'),
        record: async () => ({
          results: await reading(`items ${parent} overwrote`).checkOverwritten({ of: parent }),
        }),
      });
      run.entitle({ source: run.state.route.target?.groupTitle });
      return { detail: `${parent} overwrote nothing` };
    },
  });
