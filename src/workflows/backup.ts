import { isOfRule } from '../model/run/run-id';
import type { BackupInput } from '../model/run/run-input';
import { bytesText, countOf } from '../model/text/words';
import { download } from './transfer/download';
import { exportGroup, waitExport } from './transfer/export';
import { guardSource } from './transfer/guards';
import { sweeping, writing } from './run/activity-options';
import { afterRun, type Phase, unless } from './run/phase';
import { defineTransfer } from './transfer/transfer-kind';
import type { TransferRun } from './transfer/transfer-run';

/** Makes a snapshot of the new package and reused earlier ones. It exists once its manifest is written. */
const snapshot = ({ tags, scheduledBy, fullEveryMs }: BackupInput): Phase<TransferRun> => ({
  name: 'snapshot',
  async run(run) {
    const source = run.need('source');
    const requested = run.need('requested');
    const { route } = run;
    const { source: { groupTitle } = {} } = run.state.route;
    const packages = run.packages.flatMap(({ stored }) => stored ?? []);
    const exports = run.packages.flatMap(({ exported }) =>
      exported && 'startedAt' in exported ? exported.startedAt : [],
    );
    const kept = await sweeping('new snapshot', source.name).keepSnapshot({
      runId: run.input.runId,
      route,
      source,
      groupTitle,
      packages,
      exportedAt: exports.length > 0 ? Math.min(...exports) : undefined,
      isBasis: fullEveryMs === undefined ? undefined : true,
      tags,
      scheduledBy,
      shrunk: run.facts.shrunk ?? false,
      requested: requested.inGroup,
    });
    const { failed, ...snapshot } = kept;
    run.learn({ notSaved: failed });
    const { package: shown } = run.state;
    run.show({ snapshot, package: shown && { ...shown, itemCount: snapshot.items } });
    if (failed > 0) run.warn(`${countOf(failed, 'item')} could not be exported; the snapshot is incomplete`);
    const { items, since, sizeBytes, addedBytes = 0 } = snapshot;
    const size =
      since === undefined
        ? bytesText(sizeBytes)
        : `${bytesText(addedBytes)} new, ${bytesText(sizeBytes - addedBytes)} shared with ${since}`;
    return {
      detail: `${countOf(items, 'item')}, ${size}${failed > 0 ? `, ${failed} missing` : ''}`,
      status: failed > 0 ? 'failed' : 'done',
    };
  },
});

/** Forgets the route's snapshots that its policy does not keep. A failure here does not fail the backup. */
const retention = ({ keep: policy, scheduledBy, parent }: BackupInput): Phase<TransferRun> => ({
  name: 'retention',
  async run(run) {
    if (parent !== undefined && isOfRule(parent))
      return { status: 'skipped', detail: 'done once for all groups of the rule' };
    if (scheduledBy === undefined)
      return { status: 'skipped', detail: 'not scheduled; to forget snapshots: portolan snapshot forget' };
    return await run.attempt('the policy could not be applied', async () => {
      const { kept, forgotten } = await writing('forget snapshots by policy').forgetByPolicy({
        route: run.route.name,
        policy,
      });
      // Without a policy only expired safeguards are forgotten.
      const words = policy ? '' : 'no policy, all backups kept: ';
      return { detail: `${words}${kept} kept, ${forgotten} forgotten` };
    });
  },
});

/** Every item of the group is already in the store, or the portal exports none of the changed ones. */
const nothingToExport = (run: TransferRun): string | undefined =>
  run.isUntouched || run.exportedNothing ? 'nothing to export' : undefined;

/** Saves a group's content as a snapshot. */
export const backup = defineTransfer(
  {
    name: 'backup',
    sides: ['source'],
    bindsTask: true,
    verdict({ state, facts }) {
      const { snapshot } = state;
      if (!snapshot || snapshot.unchanged) return 'nothing-to-do';
      return facts.shrunk || (facts.notSaved ?? 0) > 0 ? 'partial' : 'succeeded';
    },
  },
  (input: BackupInput) => [
    ...afterRun(input.after), // what changed during a backup is in the next
    guardSource(input), // preflight checks; ends the run if nothing changed since the last snapshot
    // the portal exports the group, or its changed items, and the package is downloaded
    ...unless(nothingToExport, [exportGroup, waitExport, download]),
    snapshot(input), // the snapshot exists once its manifest is written
    retention(input), // forgets earlier snapshots by policy
  ],
);
