import type { Activities } from '../../activities/activities';
import type { AddedPackage, UploadPackage } from '../../activities/transfer/uploads';
import { polling, transferring } from '../run/activity-options';
import { findPackage } from './portal-job';
import { errorRecordOf } from '../run/failure';
import { bytesText } from '../../model/text/words';
import { type Facts, requireFact, holds, type Work } from '../run/memory';
import type { PackageInStore } from '../../model/transfer/stored-package';
import type { Phase } from '../run/phase';
import type { RunPackage, TransferRun } from './transfer-run';

const READABLE_WITHIN_MS = 60 * 60_000;

/** Uploads the packages to the target. */
export const upload: Phase<TransferRun> = {
  name: 'upload',
  resumesWith: (run: TransferRun, code) => (packageLost.has(code) ? phaseThatFetches(run) : 'upload'),
  async run(run) {
    const target = run.need('target');
    const { packages } = run;
    // A resume comes here for packages that are missing or not readable.
    const missing = packages.filter(({ isImported, onTarget }) => !isImported && onTarget === undefined);
    const [first] = missing;
    const left = first && (await itemLeftOnTarget(run, requireFact(first, 'stored')));
    if (first && left !== undefined) {
      first.onTarget = left;
      return { status: 'skipped', detail: `reused: package ${shortItem(left)} (deleted at the end)` };
    }
    const brought: Brought[] = [];
    // While the portal joins the parts of one, the next is uploaded.
    for (const one of missing) brought.push(await uploadPackage(run, target, one));
    await polling('whether the packages are readable', READABLE_WITHIN_MS, target.name).awaitPackages({
      portal: target,
      itemIds: brought.map(({ itemId }) => itemId),
    });
    // Recorded only when readable, so that a resume uploads the others again.
    for (const { one, itemId } of brought) one.onTarget = itemId;
    const size = bytesText(requireFact(run, 'storedBytes'));
    const [only] = brought;
    const what =
      packages.length === 1 && only
        ? `  ${only.parts}package ${shortItem(only.itemId)}`
        : ` in ${packages.length} packages`;
    return { detail: `${size}${what} (deleted at the end)` };
  },
};

/**
 * Finds the package item an earlier run left on the target, if its size still matches. This run then deletes it at
 * the end.
 */
async function itemLeftOnTarget(run: TransferRun, stored: PackageInStore): Promise<string | undefined> {
  const itemId = run.input.reuse?.targetPackage;
  if (itemId === undefined) return undefined;
  const { isThere, sizeBytes } = await findPackage(run, 'target', itemId);
  if (!isThere || sizeBytes !== stored.sizeBytes) return undefined;
  reaches(run.work);
  holds(run.work, 'target', itemId);
  return itemId;
}

interface Brought {
  readonly one: RunPackage;
  readonly itemId: string;
  /** Text for the phase detail. */
  readonly parts: string;
}

/** Uploads one package. */
async function uploadPackage(run: TransferRun, target: Facts['target'], one: RunPackage): Promise<Brought> {
  const { carried } = one;
  const { key, sha256 } = requireFact(one, 'stored');
  const again = run.memory.parks > 0 || (carried !== undefined && carried.itemId === undefined);
  const input = { runId: run.input.runId, portal: target, packageIndex: one.index, key, sha256, again };
  const to = transferring('package', run.transferQueue, target.name);
  const { itemId, inParts } = await add(run, one, to, input);
  if (!inParts) return { one, itemId, parts: '' };
  const { parts } = await to.uploadParts({ ...input, itemId, differing: carried?.differing });
  const early = carried?.parts ? `, ${carried.parts} during the download` : '';
  return { one, itemId, parts: `${parts} parts${early}  ` };
}

/** Creates the package item on the target, or finds it there. */
async function add(
  run: TransferRun,
  { carried }: RunPackage,
  to: Activities,
  input: UploadPackage,
): Promise<AddedPackage> {
  const { isOnTarget: wasThere } = run.work;
  reaches(run.work);
  // A relayed package was hashed during the download. After parking, its file is hashed again.
  const isThere = carried?.itemId !== undefined && run.memory.parks === 0;
  const added = isThere
    ? { itemId: carried.itemId, inParts: true }
    : await to.addPackage(input).catch((thrown: unknown) => {
        // Refused outright, so nothing of this run is on the target.
        if (run.memory.parks === 0 && errorRecordOf(thrown, run.route).kind === 'permanent')
          run.work.isOnTarget = wasThere;
        throw thrown;
      });
  holds(run.work, 'target', added.itemId);
  return added;
}

/** Something of the run is about to reach the target. */
function reaches(work: Work): void {
  work.written.target = true;
  work.isOnTarget = true;
}

const packageLost: ReadonlySet<string> = new Set(['PACKAGE_MISSING', 'HASH_MISMATCH']);

/** A restore checks its package in the guard phase. */
const phaseThatFetches = ({ state: { phases } }: TransferRun): string =>
  phases.some(({ name }) => name === 'download') ? 'download' : 'guard';

const shortItem = (itemId: string): string => `${itemId.slice(0, 4)}..${itemId.slice(-2)}`;
