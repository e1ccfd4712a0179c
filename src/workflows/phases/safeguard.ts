import { sweeping, transferring } from '../run/calls';
import { markPackage, packageOf, startExport } from '../transfer/export-job';
import { bytesText } from '../../model/text/bytes-text';
import { keys } from '../../store/keys';
import type { PackageInStore } from '../../model/transfer/stored-package';
import { planIdentity } from '../../model/transfer/plan-hash';
import type { Facts } from '../run/facts';
import { phase, type PhaseEnd } from '../run/phase';
import { askAgain } from '../transfer/guards';
import { awaitWindow } from '../transfer/window';
import type { TransferRun } from '../transfer/transfer-run';

/** Saves what the import is about to overwrite. */
export const safeguard = phase({
  name: 'safeguard',
  needs: ['target', 'plan', 'planReading', 'package'],
  gives: ['safeguarded'],
  resumesWith: () => 'preview',
  async run(run: TransferRun, found, give): Promise<PhaseEnd> {
    const { target, plan, planReading } = found;
    if (plan.overwrite === 0) return { detail: 'nothing is overwritten', status: 'skipped' };
    if (run.facts.safeguarded === planIdentity(plan)) return { detail: 'saved before, for the same plan' };
    const route = run.ends;
    const { runId } = run.input;
    const snapshotId = `${runId}-safeguard-${planReading}`;
    // What is saved is as fresh as what is overwritten afterwards.
    await awaitWindow(run, 'safeguard');
    await run.gates.enter(route.target, 'export');
    await askAgain(run, target);
    const { packaged, contents } = await exportOverwritten(run, found, snapshotId);
    const saved = await sweeping('what is overwritten is saved').completeSafeguard({
      runId,
      route,
      target,
      planRef: plan.ref,
      snapshotId,
      package: packaged,
      contents,
      earlier: run.state.safeguard?.id,
    });
    for (const each of saved.beyond ?? [])
      run.warn(`${each}, should ${target.name} replace it and not just what is in it`);
    give({ safeguarded: planIdentity(plan) });
    const taken = { id: snapshotId };
    // What a restore or a rollback brings is a snapshot of its own.
    run.show({ safeguard: taken, snapshot: run.facts.snapshotId === undefined ? taken : run.state.snapshot });
    return {
      detail: `${saved.items} items${packaged ? `  ${bytesText(packaged.sizeBytes)}` : ''}${saved.copied ? `, ${saved.copied} copied one by one` : ''}`,
    };
  },
});

async function exportOverwritten(
  run: TransferRun,
  { target, plan, planReading }: Pick<Facts, 'target' | 'plan' | 'planReading'>,
  snapshotId: string,
): Promise<Saved> {
  const route = run.ends;
  const { runId } = run.input;
  const job = { name: 'safeguard', side: 'target' } as const;
  const started = await startExport(run, job, { planRef: plan.ref, round: planReading });
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
      reading: `safeguard-${planReading}`,
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
