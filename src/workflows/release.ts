import type { ReleaseInput } from '../model/release/release-input';
import type { ErrorRecord } from '../model/run/run';
import { countOf } from '../model/text/words';
import { reading } from './run/activity-options';
import { defineRun } from './run/run-to-end';
import { errorRecordOf, refusal } from './run/failure';
import { eachChild, runChild } from './run/child-runs';
import type { Kind, Phase } from './run/phase';
import { Run } from './run/run';

/** An open release run; its children tell the snapshots of its groups. */
type ReleaseRun = Run<ReleaseInput>;

const snapshotOf = (run: ReleaseRun, group: string): string | undefined =>
  run.children.find(({ name }) => name === group)?.snapshotId;

/** Writes the manifest. From then on the release exists. */
const commitRelease: Phase<ReleaseRun> = {
  name: 'release',
  async run(run) {
    const { input } = run;
    const made = await reading('manifest of the release').commitRelease({
      runId: input.runId,
      taken: input.groups.flatMap(({ name }, index) => {
        const snapshotId = snapshotOf(run, name);
        return snapshotId === undefined ? [] : [{ index, snapshotId }];
      }),
    });
    run.show({ release: made });
    return { detail: `${made.id}, sha256 ${made.sha256.slice(0, 16)}` };
  },
};

/** Reads all portal settings of the release at one moment. People see its ID from here on. */
const readPortal: Phase<ReleaseRun> = {
  name: 'portal',
  async run(run) {
    const { runId, route } = run.input;
    const held = await reading('settings', route.source.portal).readPortalState({
      runId,
    });
    run.show({ release: { id: held.id } });
    const parts = [
      ...(held.settings === undefined ? [] : [countOf(held.settings, 'setting')]),
      ...(held.categories === undefined ? [] : [countOf(held.categories, 'category', 'categories')]),
    ];
    return parts.length === 0
      ? { status: 'skipped', detail: 'nothing included' }
      : { detail: parts.join(', ') };
  },
};

/**
 * Backs up each group in a child run, as many at once as the portal has export slots. An unchanged group uses its last
 * complete snapshot.
 */
const backUpGroups: Phase<ReleaseRun> = {
  name: 'groups',
  async run(run) {
    const { groups, route } = run.input;
    const open = [...groups.entries()].filter(([, { name }]) => snapshotOf(run, name) === undefined);
    const concurrency = route.source.concurrency?.exports ?? 1;
    const error = await eachChild(run, open, concurrency, ([index, group]) => backUp(run, index, group));
    if (error) return { error, status: 'failed' };
    return { detail: `${countOf(groups.length, 'group')}, ${countOf(run.itemCount, 'item')}` };
  },
};

/** Backs up one group. @returns why the release is impossible */
async function backUp(
  run: ReleaseRun,
  index: number,
  { name, groupId }: ReleaseInput['groups'][number],
): Promise<ErrorRecord | undefined> {
  const summary = `group ${name} of a release`;
  const { runId, state, status, error } = await runChild(run, { index }, { name, summary });
  const { id: snapshotId, items = 0 } = state?.snapshot ?? {};
  if (error) return { ...error, message: `group "${name}": ${error.message}` };
  if (snapshotId !== undefined && status !== 'partial') {
    run.noteChild({ runId, name, items, status, snapshotId });
    return undefined;
  }
  const why = snapshotId === undefined ? `is empty (${groupId})` : 'could not be saved completely';
  return errorRecordOf(refusal('RELEASE_INCOMPLETE', `group "${name}" ${why}`), run.route);
}

const kind: Kind<ReleaseRun> = {
  name: 'release',
  notifies: true,
  verdict: () => 'succeeded',
};

/**
 * Creates a release of a pipeline: a snapshot of each group of its first stage, and its portal settings. It is visible
 * only once it is complete.
 */
export const release = defineRun<ReleaseInput, ReleaseRun>(kind, Run, () => [
  readPortal, // its ID, current settings and categories
  backUpGroups, // one child run each; unchanged groups are not exported again
  commitRelease, // the release exists once its manifest is written
]);
