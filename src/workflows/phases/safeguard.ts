import { sweeping, transferring } from '../run/calls';
import { have } from '../run/context';
import { markPackage, packageOf, startExport } from './export-job';
import { bytesText } from '../../model/text/bytes-text';
import { keys } from '../../store/keys';
import type { PackageInStore } from '../../model/transfer/stored-package';
import type { Phase, PhaseEnd, Run } from '../run/run';

/** Saves what the import is about to overwrite. */
export const safeguard: Phase = {
  name: 'safeguard',
  async run(run): Promise<PhaseEnd> {
    const plan = have(run.context, 'plan');
    if (plan.overwrite === 0) return { detail: 'nothing is overwritten', status: 'skipped' };
    if (run.context.safeguarded === plan.hash) return { detail: 'saved before, for the same plan' };
    const route = run.ends;
    const { runId } = run.input;
    const target = have(run.context, 'target');
    const snapshotId = `${runId}-safeguard-${run.context.planReading}`;
    const { packaged, contents } = await exportOverwritten(run, snapshotId);
    const saved = await sweeping('what is overwritten is saved').completeSafeguard({
      runId,
      route,
      target,
      planRef: plan.ref,
      snapshotId,
      package: packaged,
      contents,
    });
    run.context.safeguarded = plan.hash;
    run.state.safeguard = { id: snapshotId };
    if (run.state.kind === 'sync') run.state.snapshot = run.state.safeguard;
    return {
      detail: `${saved.items} items${packaged ? `  ${bytesText(packaged.sizeBytes)}` : ''}${saved.copied ? `, ${saved.copied} copied one by one` : ''}`,
    };
  },
};

async function exportOverwritten(run: Run, snapshotId: string): Promise<Saved> {
  const route = run.ends;
  const { runId } = run.input;
  const target = have(run.context, 'target');
  const job = { name: 'safeguard', side: 'target' } as const;
  const { ref: planRef } = have(run.context, 'plan');
  const started = await startExport(run, job, { planRef, round: run.context.planReading });
  if (started.kind === 'nothing') return {};
  const { itemId } = await packageOf(run, { ...job, started });
  const [packaged, contents] = await Promise.all([
    transferring(`safeguard from ${target.name}`, run.transferQueue).downloadPackage({
      portal: target,
      itemId,
      key: keys.snapshotPackage(snapshotId),
      packageBytes: route.options.limits.packageBytes,
    }),
    // A job's record need not say which items it left out: only the package itself does.
    sweeping('what the safeguard holds').listPackage({
      runId,
      target,
      groupId: route.target.groupId,
      packageItemId: itemId,
      reading: `safeguard-${run.context.planReading}`,
    }),
    markPackage(run, 'target', itemId),
  ]);
  return { packaged, contents };
}

interface Saved {
  readonly packaged?: PackageInStore;
  /** Prefix in the store of the rows that the package holds. */
  readonly contents?: string;
}
