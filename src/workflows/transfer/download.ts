import { type CarriedPackage, PACKAGES_STAY_MS } from '../../model/transfer/stored-package';
import { transferring } from '../run/activity-options';
import { bytesText } from '../../model/text/words';
import { keys } from '../../store/keys';
import { type Facts, requireFact } from '../run/memory';
import type { Phase, PhaseEnd } from '../run/phase';
import { DECISION_TIMEOUT_MS } from '../run/decision-timeout';
import type { Reuse } from '../../model/run/run-input';
import type { RunPackage, TransferRun } from './transfer-run';
import { inHalves } from './export';

/** Downloads the package into the store. A sync relays it to the target meanwhile; the upload phase commits it. */
export const download: Phase<TransferRun> = {
  name: 'download',
  async run(run) {
    const { reuse } = run.input;
    if (reuse) return await adopt(run, reuse);
    const source = run.need('source');
    const { target } = run.facts;
    // A resume starts over here if a package is missing from the store.
    if (!run.toFetch) for (const each of run.packages) each.stored = undefined;
    const one = requireFact(run, 'toFetch');
    const brought = await fetchPackage(run, source, one).catch((thrown: unknown) =>
      inHalves(run, one, thrown),
    );
    if ('then' in brought) return brought;
    const { carried, ...stored } = brought;
    one.stored = stored;
    one.carried = carried;
    const sizeBytes = requireFact(run, 'storedBytes');
    const { length: parts, 0: first } = run.packages;
    const { sha256 } = first?.stored ?? stored;
    run.show({ package: { sizeBytes, sha256, parts, sourceVersion: source.release?.text } });
    if (!stored.sizeChecked)
      run.warn(`${source.name} does not report the size of its package, so it could not be checked`);
    const onwards =
      carried && target ? `; ${carried.parts} of ${carried.of} parts already on ${target.name}` : '';
    const detail = `${bytesText(stored.sizeBytes)}, sha256 ${shortSha(stored.sha256)}${onwards}`;
    const { toFetch: next } = run;
    if (next) {
      const then = next.onSource === undefined ? 'export' : 'download';
      return { detail: `package ${one.index + 1} of ${parts}: ${detail}`, then };
    }
    return { detail: parts === 1 ? detail : `${bytesText(sizeBytes)} in ${parts} packages` };
  },
};

async function fetchPackage(
  run: TransferRun,
  source: Facts['source'],
  one: RunPackage,
): Promise<CarriedPackage> {
  const { target } = run.facts;
  const { runId } = run.input;
  const { index: packageIndex } = one;
  const from = transferring('package', run.transferQueue, source.name);
  const { packageBytes } = run.route.options.limits;
  const itemId = requireFact(one, 'onSource');
  // The package of a backup stays where it is, in its snapshot.
  const key = run.route.target
    ? keys.package(runId, packageIndex)
    : keys.snapshotPackage(runId, packageIndex);
  const input = { portal: source, itemId, key, packageBytes };
  // With several packages, all must be in the store before the first is uploaded.
  if (!target || run.packages.length > 1) return await from.downloadPackage(input);
  // The package item's ID is derived from the run, so cleanup finds it even if the download fails.
  run.work.written.target = true;
  return await from.relayPackage({ ...input, runId, target, packageIndex, again: run.memory.parks > 0 });
}

/** Adopts the stored package of an earlier run, and the items requested when it was made. */
async function adopt(run: TransferRun, { runId: from, sha256 }: Reuse): Promise<PhaseEnd> {
  const { items, itemList, decisionTimeoutMs = DECISION_TIMEOUT_MS, jobDeadlineMs } = run.route.options;
  const adopted = await transferring(`package of ${from}`, run.transferQueue).adoptPackage({
    runId: run.input.runId,
    from,
    sha256,
    chosen: { items, itemList },
    keepMs: Math.max(PACKAGES_STAY_MS, decisionTimeoutMs) + jobDeadlineMs,
  });
  const { package: stored, requested } = adopted;
  run.learn({ requested });
  run.packages = [{ index: 0, round: 1, stored }];
  run.show({ package: { sizeBytes: stored.sizeBytes, sha256, parts: 1, of: from } });
  return { status: 'skipped', detail: reusedWords(run) };
}

/** The earlier package that the run reuses, for people; undefined if it makes its own. */
export function reusedWords({ input: { reuse } }: TransferRun): string | undefined {
  return reuse && `package of ${reuse.runId}, sha256 ${shortSha(reuse.sha256)}`;
}

const shortSha = (sha256: string): string => `${sha256.slice(0, 4)}..${sha256.slice(-2)}`;
