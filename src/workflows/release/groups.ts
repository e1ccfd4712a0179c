import { groupBackup } from '../../model/release/release-input';
import type { ErrorRecord } from '../../model/run/run';
import { countOf } from '../../model/text/words';
import { errorRecordOf, refusal } from '../run/failure';
import { eachPart, runPart } from '../run/parts';
import { phase, type PhaseEnd } from '../run/phase';
import type { ReleaseRun } from './release-run';

/**
 * Backs up each group in a child run, as many at once as the portal has export slots. An unchanged group uses its last
 * complete snapshot.
 */
export const backUpGroups = phase({
  name: 'groups',
  async run(run: ReleaseRun): Promise<PhaseEnd> {
    const { groups, route } = run.input;
    const { snapshots } = run.own;
    const open = [...groups.keys()].filter((index) => snapshots[index] === undefined);
    const concurrency = route.source.concurrency?.exports ?? 1;
    const error = await eachPart(
      run,
      () => open.shift(),
      concurrency,
      (index) => backUp(run, index),
    );
    if (error) return { error, status: 'failed' };
    const items = (run.state.children ?? []).reduce((sum, each) => sum + each.items, 0);
    return { detail: `${countOf(groups.length, 'group')}, ${countOf(items, 'item')}` };
  },
});

/** Backs up one group. @returns why the release is impossible */
async function backUp(run: ReleaseRun, index: number): Promise<ErrorRecord | undefined> {
  const { name = '', groupId } = run.input.groups[index] ?? {};
  const summary = `group ${name} of a release`;
  const part = groupBackup(run.input, index);
  const { state, status, error } = await runPart(run, 'backup', part, { name, summary });
  const { id: snapshotId, items = 0 } = state?.snapshot ?? {};
  if (error) return { ...error, message: `group "${name}": ${error.message}` };
  if (snapshotId !== undefined && status !== 'partial') {
    run.noteChild({ runId: part.runId, name, items, status, snapshotId });
    run.own.snapshots[index] = snapshotId;
    return undefined;
  }
  const why = snapshotId === undefined ? `is empty (${groupId})` : 'could not be saved completely';
  return errorRecordOf(refusal('RELEASE_INCOMPLETE', `group "${name}" ${why}`), run.route);
}
