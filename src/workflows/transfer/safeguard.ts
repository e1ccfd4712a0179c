import { importedCount } from '../../model/transfer/plan-summary';
import { sweeping, transferring } from '../run/activity-options';
import { packageOf, startExport } from './export';
import { type PlanSummary } from '../../model/transfer/plan';
import { bytesText, countOf } from '../../model/text/words';
import { keys, ofPart } from '../../store/keys';
import type { SafeguardPackage } from '../../activities/transfer/safeguards';
import type { Phase, PhaseEnd } from '../run/phase';
import { recheckGuards } from './guards';
import { awaitWindow } from './window';
import type { TransferRun } from './transfer-run';

/** Saves the items that the import, or a rollback's copies, will overwrite. */
export const safeguard: Phase<TransferRun> = {
  name: 'safeguard',
  isQuiet: ({ facts }) => facts.plan !== undefined && !overwritesSomething(facts.plan),
  resumesWith: () => 'preview',
  async run(run) {
    const target = run.need('target');
    const plan = run.need('plan');
    // Only a rollback has work left without an import.
    const then = importedCount(plan) === 0 ? 'put-back' : undefined;
    const nothing: PhaseEnd = { detail: 'nothing is overwritten', status: 'skipped', then };
    if (!overwritesSomething(plan)) return nothing;
    if (run.facts.safeguarded === plan.sha256) return { detail: 'already saved for the same plan', then };
    const snapshotId = `${run.input.runId}-safeguard-${run.need('planReading')}`;
    // Waiting here keeps the safeguard as recent as the import.
    await awaitWindow(run, 'safeguard');
    if (plan.overwrite > 0) await run.portalQueues.enter(run.fullRoute.target, 'export');
    await recheckGuards(run, target);
    const packages = plan.overwrite > 0 ? await exportOverwritten(run, snapshotId) : [];
    const saved = await sweeping('safeguard of overwritten items', target.name).completeSafeguard({
      ...run.onPlan,
      snapshotId,
      packages,
      earlier: run.state.safeguard?.id,
      imported: run.packages.filter(({ isImported }) => isImported).length,
    });
    if (run.maps) await sweeping('JSON of overwritten items', target.name).keepDocuments(run.onPlan);
    for (const each of saved.beyond ?? [])
      run.warn(`${each}, if ${target.name} replaces it instead of updating it`);
    run.learn({ safeguarded: plan.sha256 });
    // Restoring a deleted item from its copy overwrites nothing.
    if (saved.items === 0) return nothing;
    const taken = { id: snapshotId };
    // A restore or rollback already shows the snapshot it restores.
    run.show({ safeguard: taken, snapshot: run.facts.snapshotId === undefined ? taken : run.state.snapshot });
    return {
      detail: `${countOf(saved.items, 'item')}${packages.length > 0 ? `  ${bytesText(bytesOf(packages))}` : ''}${saved.copied ? `, ${saved.copied} copied one by one` : ''}`,
      then,
    };
  },
};

const overwritesSomething = ({ overwrite, restore = 0 }: PlanSummary): boolean => overwrite + restore > 0;

/** Exports one safeguard package per imported package: their sizes are alike, so each stays within the limit. */
async function exportOverwritten(run: TransferRun, snapshotId: string): Promise<SafeguardPackage[]> {
  const target = run.need('target');
  const { runId } = run.input;
  const exported: ExportedPart[] = [];
  for (const { index } of run.packages.filter(({ isImported }) => !isImported))
    exported.push(...(await exportPart(run, snapshotId, index)));
  if (exported.length === 0) return [];
  // A job's record may not name the items it skipped.
  await sweeping('content of the safeguard', target.name).listPackages({
    runId,
    target,
    groupId: run.fullRoute.target.groupId,
    packages: exported.map(({ packageItemId, reading }) => ({ packageItemId, reading })),
  });
  return exported.map(({ stored, exportedAt, reading }) => ({
    package: stored,
    exportedAt,
    contents: keys.preview(runId, reading),
  }));
}

interface ExportedPart {
  readonly stored: SafeguardPackage['package'];
  readonly exportedAt: number;
  readonly packageItemId: string;
  readonly reading: string;
}

/** Nothing if the package of the run overwrites nothing that can be exported. */
async function exportPart(
  run: TransferRun,
  snapshotId: string,
  packageIndex: number,
): Promise<ExportedPart[]> {
  const target = run.need('target');
  const round = run.need('planReading');
  const job = {
    name: 'safeguard',
    packageIndex,
    stays: packageIndex + 1 < run.packages.length,
  } as const;
  const started = await startExport(run, job, { planRef: run.need('plan').ref, round });
  if (started.kind === 'nothing') return [];
  const made = await packageOf(run, job, started);
  if (!job.stays) await run.portalQueues.leave(run.fullRoute.target, 'export');
  if ('kind' in made) return [];
  const stored = await transferring('safeguard', run.transferQueue, target.name).downloadPackage({
    portal: target,
    itemId: made.itemId,
    key: keys.snapshotPackage(snapshotId, packageIndex),
    packageBytes: run.route.options.limits.packageBytes,
  });
  return [
    {
      stored,
      exportedAt: started.startedAt,
      packageItemId: made.itemId,
      reading: `safeguard-${round}${ofPart(packageIndex)}`,
    },
  ];
}

const bytesOf = (saved: readonly SafeguardPackage[]): number =>
  saved.reduce((sum, each) => sum + each.package.sizeBytes, 0);
