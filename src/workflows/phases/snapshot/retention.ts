import type { BackupInput } from '../../../model/run/snapshot-input';
import { writing } from '../../run/activity-options';
import { errorRecordOf } from '../../run/failure';
import { phase, type PhaseEnd } from '../../run/phase';
import type { TransferRun } from '../../transfer/transfer-run';

/** Forgets the route's snapshots that its policy does not keep. A failure here does not fail the backup. */
export const retention = ({ keep: policy, safeguardsMs, scheduledBy }: BackupInput) =>
  phase({
    name: 'retention',
    async run(run: TransferRun): Promise<PhaseEnd> {
      if (scheduledBy === undefined)
        return { status: 'skipped', detail: 'not scheduled; to forget snapshots: portolan snapshot forget' };
      try {
        const { kept, forgotten } = await writing('forget snapshots by policy').forgetByPolicy({
          route: run.route.name,
          policy,
          safeguardsMs,
        });
        // Without a policy only expired safeguards are forgotten.
        const words = policy ? '' : 'no policy, all backups kept: ';
        return { detail: `${words}${kept} kept, ${forgotten} forgotten` };
      } catch (thrown) {
        const { message } = errorRecordOf(thrown, run.route);
        run.warn(`the policy could not be applied: ${message}`);
        return { status: 'failed', detail: message };
      }
    },
  });
