import { sweeping, transferring } from '../run/activity-options';
import { markPackage, packageOf, startExport } from '../transfer/export-job';
import { importedCount } from '../../model/transfer/plan-figures';
import { bytesText } from '../../model/text/bytes-text';
import { keys, ofPart } from '../../store/keys';
import type { ListPackage } from '../../activities/transfer/plan/previews';
import type { SafeguardPackage } from '../../activities/transfer/safeguards';
import { planIdentity } from '../../model/transfer/plan-hash';
import { countOf } from '../../model/text/words';
import type { Facts } from '../run/facts';
import { phase, type PhaseEnd } from '../run/phase';
import { recheckGuards } from '../transfer/guards';
import { awaitWindow } from '../transfer/window';
import type { TransferRun } from '../transfer/transfer-run';

/** Saves the items that the import, or a rollback's copies, will overwrite. */
export const safeguard = phase({
  name: 'safeguard',
  needs: ['target', 'plan', 'planReading'],
  gives: ['safeguarded'],
  resumesWith: () => 'preview',
  async run(run: TransferRun, found, give): Promise<PhaseEnd> {
    const { target, plan, planReading } = found;
    // Only a rollback has work left without an import.
    const then = importedCount(plan) === 0 ? 'put-back' : undefined;
    const nothing: PhaseEnd = { detail: 'nothing is overwritten', status: 'skipped', then };
    if (plan.overwrite + (plan.restore ?? 0) === 0) return nothing;
    if (run.facts.safeguarded === planIdentity(plan))
      return { detail: 'already saved for the same plan', then };
    const route = run.ends;
    const { runId } = run.input;
    const snapshotId = `${runId}-safeguard-${planReading}`;
    // Waiting here keeps the safeguard as recent as the import.
    await awaitWindow(run, 'safeguard');
    if (plan.overwrite > 0) await run.portalQueues.enter(route.target, 'export');
    await recheckGuards(run, target);
    const [first, ...further] = plan.overwrite > 0 ? await exportOverwritten(run, found, snapshotId) : [];
    const { package: packaged, contents } = first ?? {};
    const saved = await sweeping('safeguard of overwritten items', target.name).completeSafeguard({
      runId,
      route,
      target,
      planRef: plan.ref,
      snapshotId,
      package: packaged,
      contents,
      ...(further.length > 0 && { further }),
      earlier: run.state.safeguard?.id,
    });
    if (run.maps)
      await sweeping('JSON of overwritten items', target.name).keepDocuments({
        runId,
        route,
        target,
        planRef: plan.ref,
      });
    for (const each of saved.beyond ?? [])
      run.warn(`${each}, if ${target.name} replaces it instead of updating it`);
    give({ safeguarded: planIdentity(plan) });
    // Restoring a deleted item from its copy overwrites nothing.
    if (saved.items === 0) return nothing;
    const taken = { id: snapshotId };
    // A restore or rollback already shows the snapshot it restores.
    run.show({ safeguard: taken, snapshot: run.facts.snapshotId === undefined ? taken : run.state.snapshot });
    return {
      detail: `${countOf(saved.items, 'item')}${packaged ? `  ${bytesText(bytesOf([first, ...further]))}` : ''}${saved.copied ? `, ${saved.copied} copied one by one` : ''}`,
      then,
    };
  },
});

/** Exports one safeguard package per imported package: their sizes are alike, so each stays within the limit. */
async function exportOverwritten(
  run: TransferRun,
  { target, plan, planReading }: Pick<Facts, 'target' | 'plan' | 'planReading'>,
  snapshotId: string,
): Promise<SafeguardPackage[]> {
  const saved: SafeguardPackage[] = [];
  const listed: { readonly packageItemId: string; readonly reading: string }[] = [];
  const count = Math.max(1, run.packages.count);
  for (let part = 0; part < count; part += 1) {
    const each = await exportPart(run, { target, plan, planReading }, snapshotId, part);
    if (!each) continue;
    const { packageItemId, reading, contents, package: packaged } = each;
    if (contents === undefined) listed.push({ packageItemId, reading });
    saved.push({ package: packaged, contents: contents ?? keys.preview(run.input.runId, reading) });
  }
  if (run.sharesSteps) await run.portalQueues.leave(run.ends.target, 'export');
  const [first, ...further] = listed;
  if (first) await list(run, target, { ...first, ...(further.length > 0 && { further }) });
  return saved;
}

/** Lists the packages' content in the store, because a job's record may not name the items it skipped. */
async function list(
  run: TransferRun,
  target: Facts['target'],
  packages: Pick<ListPackage, 'packageItemId' | 'reading' | 'further'>,
): Promise<string> {
  const { groupId } = run.ends.target;
  return await sweeping('content of the safeguard', target.name).listPackage({
    runId: run.input.runId,
    target,
    groupId,
    ...packages,
  });
}

/** `contents` is absent until the package is listed. */
interface ExportedPart {
  readonly package: SafeguardPackage['package'];
  readonly packageItemId: string;
  readonly reading: string;
  readonly contents?: string;
}

async function exportPart(
  run: TransferRun,
  { target, plan, planReading }: Pick<Facts, 'target' | 'plan' | 'planReading'>,
  snapshotId: string,
  index: number,
): Promise<ExportedPart | undefined> {
  const route = run.ends;
  const part = index || undefined;
  const stays = run.sharesSteps;
  const job = { name: 'safeguard', side: 'target', stays } as const;
  const started = await startExport(run, job, { planRef: plan.ref, round: planReading, part });
  if (started.kind === 'nothing') return undefined;
  const made = await packageOf(run, { ...job, started, part });
  if ('kind' in made) return undefined;
  const { itemId } = made;
  const reading = `safeguard-${planReading}${ofPart(index)}`;
  const [packaged, contents] = await Promise.all([
    transferring(`safeguard from ${target.name}`, run.transferQueue, target.name).downloadPackage({
      portal: target,
      itemId,
      key: keys.snapshotPackage(snapshotId, index),
      packageBytes: route.options.limits.packageBytes,
    }),
    stays ? undefined : list(run, target, { packageItemId: itemId, reading }),
    markPackage(run, 'target', made),
  ]);
  return { package: packaged, packageItemId: itemId, reading, contents };
}

const bytesOf = (saved: readonly (SafeguardPackage | undefined)[]): number =>
  saved.reduce((sum, each) => sum + (each?.package.sizeBytes ?? 0), 0);
