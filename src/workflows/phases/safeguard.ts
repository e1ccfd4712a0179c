import { sweeping, transferring, writing } from '../calls';
import { have } from '../carried';
import { enterExport, packageOf } from '../export-job';
import { bytesText } from '../figures';
import { keys } from '../../store/keys';
import type { PackageInStore } from '../../model/transfer';
import type { Phase, PhaseEnd, Run } from '../run';

/** Saves what the import is about to overwrite. */
export const safeguard: Phase = {
  name: 'safeguard',
  async run(run): Promise<PhaseEnd> {
    const plan = have(run.carried, 'plan');
    if (plan.overwrite === 0) return { detail: 'nothing is overwritten', status: 'skipped' };
    const { runId, route } = run.input;
    const target = have(run.carried, 'target');
    const snapshotId = `${runId}-safeguard-${run.carried.planReading}`;
    const packaged = await exportOverwritten(run, snapshotId);
    const saved = await sweeping('what is overwritten is saved').completeSafeguard({
      runId,
      route,
      target,
      planRef: plan.ref,
      snapshotId,
      package: packaged,
    });
    run.carried.safeguarded = plan.hash;
    run.state.snapshot = { id: snapshotId };
    return {
      detail: `${saved.items} items${packaged ? `  ${bytesText(packaged.sizeBytes)}` : ''}${saved.copied ? `, ${saved.copied} copied one by one` : ''}`,
    };
  },
};

async function exportOverwritten(run: Run, snapshotId: string): Promise<PackageInStore | undefined> {
  const { runId, route } = run.input;
  const target = have(run.carried, 'target');
  const started = await enterExport(run, () =>
    writing(`safeguard on ${target.name}`).startExport({
      runId,
      purpose: 'safeguard',
      portal: target,
      groupId: route.target.groupId,
      planRef: have(run.carried, 'plan').ref,
    }),
  );
  if (started.kind === 'nothing') return undefined;
  const made = await packageOf(run, { name: 'safeguard', side: 'target', started });
  return await transferring(`safeguard from ${target.name}`, run.transferQueue).downloadPackage({
    portal: target,
    itemId: made.itemId,
    key: keys.snapshotPackage(snapshotId),
    packageBytes: route.options.limits.packageBytes,
  });
}
