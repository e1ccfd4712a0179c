import { mapLimited } from '../../model/map-limited';
import { groupBackup } from '../../model/release/release-input';
import type { ErrorRecord } from '../../model/run/run';
import { countOf } from '../../model/text/words';
import { signPart } from '../run/activity-options';
import { errorRecordOf, refusal } from '../run/failure';
import { continueRun, isLong } from '../run/continue';
import { endOfPart, noteUnseen, startPart } from '../run/part-run';
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
    const isDone = new Set(run.children.flatMap(({ name, snapshotId }) => (snapshotId ? [name] : [])));
    const open = [...groups.keys()].filter((index) => !isDone.has(groups[index]?.name));
    let error: ErrorRecord | undefined;
    await mapLimited(open, route.source.concurrency?.exports ?? 1, async (index) => {
      if (error || run.scope.consideredCancelled || isLong()) return;
      error ??= await backUp(run, index);
      await run.save();
    });
    if (error) return { error, status: 'failed' };
    const taken = run.children.filter(({ snapshotId }) => snapshotId !== undefined);
    if (taken.length < groups.length) {
      await continueRun(run);
      throw refusal('CANCELLED', 'the release was cancelled');
    }
    const items = taken.reduce((sum, each) => sum + each.items, 0);
    return { detail: `${countOf(taken.length, 'group')}, ${countOf(items, 'item')}` };
  },
});

/** Backs up one group. @returns why the release is impossible */
async function backUp(run: ReleaseRun, index: number): Promise<ErrorRecord | undefined> {
  const backup = groupBackup(run.input, index);
  const { runId } = backup;
  const { name = '', groupId } = run.input.groups[index] ?? {};
  run.note({ runId, name, items: 0, status: 'running' });
  // Cancelling a release cancels its backups and waits for their portal jobs.
  const { state, status, error } = await endOfPart(backup, async () => {
    const signed = { ...backup, proof: await signPart(backup) };
    const handle = await startPart('backup', signed, `group ${name} of a release`);
    run.underWay.add(handle);
    return await handle.result().finally(() => run.underWay.delete(handle));
  });
  const { id: snapshotId, items = 0 } = state?.snapshot ?? {};
  run.note({ runId, name, items, status, ...(status !== 'partial' && !error && { snapshotId }) });
  if (!state) noteUnseen(run, runId);
  if (error) return { ...error, message: `group "${name}": ${error.message}` };
  if (snapshotId !== undefined && status !== 'partial') return undefined;
  const why = snapshotId === undefined ? `is empty (${groupId})` : 'could not be saved completely';
  return errorRecordOf(refusal('RELEASE_INCOMPLETE', `group "${name}" ${why}`), run.route);
}
