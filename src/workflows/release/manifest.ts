import { CancellationScope } from '@temporalio/workflow';
import { reading } from '../run/activity-options';
import { phase, type PhaseEnd } from '../run/phase';
import type { ReleaseRun } from './release-run';

/** Claims the release's future ID, so that people see it from the start. */
export const claimId = phase({
  name: 'guard',
  async run(run: ReleaseRun): Promise<PhaseEnd> {
    const { runId } = run.input;
    const id = await reading('claim the release ID').claimRelease({ runId });
    run.show({ release: { id } });
    return { detail: id };
  },
});

/** Writes the manifest. From then on the release exists. */
export const commitRelease = phase({
  name: 'release',
  async run(run: ReleaseRun): Promise<PhaseEnd> {
    const { input, state, own } = run;
    const made = await reading('manifest of the release').commitRelease({
      runId: input.runId,
      claimed: state.release?.id ?? '',
      taken: input.groups.flatMap((_group, index) => {
        const snapshotId = own.snapshots[index];
        return snapshotId === undefined ? [] : [{ index, snapshotId }];
      }),
    });
    run.show({ release: made });
    return { detail: `${made.id}, sha256 ${made.sha256.slice(0, 16)}` };
  },
});

/** Frees the ID if no release was made. */
export async function giveBack({ input, state: { release } }: ReleaseRun): Promise<void> {
  if (!release || release.sha256 !== undefined) return;
  const { id } = release;
  await CancellationScope.nonCancellable(() =>
    reading('free the release ID').giveReleaseBack({ runId: input.runId, id }),
  );
}
