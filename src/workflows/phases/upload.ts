import type { Activities } from '../../activities/activities';
import type { AddedPackage, UploadPackage } from '../../activities/transfer/uploads';
import { polling, transferring, writing } from '../run/activity-options';
import { errorRecordOf } from '../run/failure';
import { bytesText } from '../../model/text/bytes-text';
import type { PackageInStore } from '../../model/transfer/stored-package';
import { type Facts, known } from '../run/facts';
import { type Give, phase, type PhaseEnd } from '../run/phase';
import type { TransferRun } from '../transfer/transfer-run';
import { itemLeftOnTarget } from './reuse';

const READABLE_WITHIN_MS = 60 * 60_000;

/** Uploads the package to the target. */
export const upload = phase({
  name: 'upload',
  needs: ['target', 'package'],
  gives: ['targetPackage'],
  resumesWith: (run: TransferRun, code) => (packageLost.has(code) ? phaseThatFetches(run) : 'upload'),
  async run(run: TransferRun, { target, package: stored }, give): Promise<PhaseEnd> {
    const left = await itemLeftOnTarget(run, target, stored);
    if (left !== undefined) {
      run.packages.note(0, { stored, onTarget: left });
      give({ targetPackage: left });
      return { status: 'skipped', detail: `reused: package ${shortItem(left)} (deleted at the end)` };
    }
    if (run.packages.count < 2) {
      run.packages.note(0, { stored });
      return { detail: await bring(run, target, { stored, index: 0 }, give) };
    }
    const { index: first, remaining, bytes, count } = run.packages;
    // The current package is looked up again, because a resume comes here if it is gone.
    const toBring = remaining.flatMap(({ index, stored: one, onTarget }) =>
      one && (onTarget === undefined || index === first) ? [{ index, stored: one }] : [],
    );
    if (run.sharesSteps) await bringAll(run, target, toBring, give);
    else for (const each of toBring) await bring(run, target, each, give);
    run.turnTo(first);
    return { detail: `${bytesText(bytes)} in ${count} packages (deleted at the end)` };
  },
});

interface ToBring {
  readonly stored: PackageInStore;
  readonly index: number;
}

/** Uploads several packages. While the portal joins the parts of one, the next is uploaded. */
async function bringAll(
  run: TransferRun,
  target: Facts['target'],
  packages: readonly ToBring[],
  give: Give<'targetPackage'>,
): Promise<void> {
  const brought: { index: number; onTarget: string }[] = [];
  for (const each of packages) {
    const { itemId, inParts, input, to } = await add(run, target, each);
    give({ targetPackage: itemId });
    if (inParts) await to.uploadParts({ ...input, itemId, commits: true });
    brought.push({ index: each.index, onTarget: itemId });
  }
  const [first, ...further] = brought.map(({ onTarget }) => onTarget);
  const { key } = known(run.facts, 'package');
  if (first === undefined) return;
  await polling(
    `whether the packages on ${target.name} are readable`,
    READABLE_WITHIN_MS,
    target.name,
  ).awaitPackage({
    runId: run.input.runId,
    portal: target,
    key,
    itemId: first,
    further,
  });
  // Recorded only when readable, so that a resume uploads the others again.
  for (const { index, onTarget } of brought) run.packages.note(index, { onTarget });
}

/** Uploads one package. Returns text for the phase detail. */
async function bring(
  run: TransferRun,
  target: Facts['target'],
  { stored, index }: ToBring,
  give: Give<'targetPackage'>,
): Promise<string> {
  const { carried } = run.facts;
  const { itemId, inParts, input, to } = await add(run, target, { stored, index });
  give({ targetPackage: itemId });
  run.packages.note(index, { onTarget: itemId });
  let parts = '';
  if (inParts) {
    const sent = await to.uploadParts({ ...input, itemId, differing: carried?.differing });
    await writing(`join parts on ${target.name}`, target.name).commitPackage({ ...input, itemId });
    const early = carried && sent.sent < sent.parts ? `, ${sent.parts - sent.sent} during the download` : '';
    parts = `${sent.parts} parts${early}  `;
  }
  await polling(
    `whether the package on ${target.name} is readable`,
    READABLE_WITHIN_MS,
    target.name,
  ).awaitPackage({
    ...input,
    itemId,
  });
  return `${bytesText(stored.sizeBytes)}  ${parts}package ${shortItem(itemId)} (deleted at the end)`;
}

/** Creates the package item on the target, or finds it there. */
async function add(
  run: TransferRun,
  target: Facts['target'],
  { stored: { key, sha256 }, index }: ToBring,
): Promise<AddedPackage & { readonly input: UploadPackage; readonly to: Activities }> {
  const { carried } = run.facts;
  const again = run.parks > 0 || (carried && carried.itemId === undefined) || undefined;
  const input = { runId: run.input.runId, portal: target, key, sha256, again, part: index || undefined };
  const to = transferring(`package to ${target.name}`, run.transferQueue, target.name);

  const wasThere = run.traces.isOnTarget;
  run.traces.reaches(true);
  // A relayed package was hashed during the download. After parking, its file is hashed again.
  const isThere = carried?.itemId !== undefined && run.parks === 0;
  const { itemId, inParts } = isThere
    ? { itemId: carried.itemId, inParts: true }
    : await to.addPackage(input).catch((thrown: unknown) => {
        // Refused outright, so nothing of this run is on the target.
        if (run.parks === 0 && errorRecordOf(thrown, run.route).kind === 'permanent')
          run.traces.reaches(wasThere);
        throw thrown;
      });
  run.traces.holds('target', itemId);
  return { itemId, inParts, input, to };
}

const packageLost: ReadonlySet<string> = new Set(['PACKAGE_MISSING', 'HASH_MISMATCH']);

/** A restore checks its package in the guard phase. */
const phaseThatFetches = ({ state: { phases }, parts }: TransferRun): string => {
  if (!phases.some(({ name }) => name === 'download')) return 'guard';
  return parts > 1 ? 'export' : 'download';
};

const shortItem = (itemId: string): string => `${itemId.slice(0, 4)}..${itemId.slice(-2)}`;
