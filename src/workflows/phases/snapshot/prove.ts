import { shortRunId } from '../../../model/run/run-id';
import type { DrillInput } from '../../../model/run/snapshot-input';
import { countOf } from '../../../model/text/words';
import { writing } from '../../run/activity-options';
import { refusal } from '../../run/failure';
import { phase, type PhaseEnd } from '../../run/phase';
import type { TransferRun } from '../../transfer/transfer-run';

/** Records the drill result with the snapshot. A missing or blocked item means that nothing is proven. */
export const prove = ({ import: imports = false }: DrillInput) =>
  phase({
    name: 'prove',
    needs: ['target', 'requested', 'plan', 'snapshotId'],
    async run(run: TransferRun, { target, requested, plan, snapshotId }): Promise<PhaseEnd> {
      const { state } = run;
      const desired = requested.count - requested.skipped;
      const seen = plan.create + plan.overwrite + plan.keep + plan.blocked;
      if (seen < desired) {
        throw refusal(
          'SNAPSHOT_INCOMPLETE',
          `${target.name} finds ${seen} items in the package, but ${desired} were saved`,
          'Take another snapshot and drill that one.',
          target.name,
        );
      }
      if (plan.blocked > 0) {
        throw refusal(
          'DRILL_BLOCKED',
          `${target.name} would block ${plan.blocked} of ${seen} items, so the drill cannot prove that they can be restored`,
          `See why: portolan run show ${shortRunId(run.input.runId)} --plan. Then drill into a portal and group that accept every item.`,
          target.name,
        );
      }
      if (imports && ((state.items?.imported ?? 0) < desired || (state.verification?.findings ?? 0) > 0))
        return { status: 'failed', detail: 'not all items were imported as saved' };
      const level = imports ? 'imported' : 'previewed';
      await writing('drill result').proveSnapshot({
        snapshotId,
        level,
        portal: target.name,
        runId: run.input.runId,
        items: seen,
      });
      run.show({ proof: level });
      return { detail: `${countOf(seen, 'item')} ${level} on ${target.name}` };
    },
  });
