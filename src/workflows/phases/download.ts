import type { CarriedPackage } from '../../model/transfer/stored-package';
import { transferring } from '../run/activity-options';
import { bytesText } from '../../model/text/bytes-text';
import { keys } from '../../store/keys';
import { type Facts, known } from '../run/facts';
import { phase, type PhaseEnd } from '../run/phase';
import type { RunPackage } from '../transfer/packages';
import type { TransferRun } from '../transfer/transfer-run';
import { inHalves } from '../transfer/halved-package';
import { shortSha } from './reuse';

/** Brings the package into the store; of a sync, it goes on to the target while it comes, and is committed by the upload. */
export const download = phase({
  name: 'download',
  needs: ['source'],
  async run(run: TransferRun, { source }): Promise<PhaseEnd> {
    const { target } = run.facts;
    // A resume comes here if one was lost in the store; the portal still has all of them.
    if (!run.toFetch) for (const each of run.packages) each.stored = undefined;
    const one = known(run, 'toFetch');
    const brought = await bring(run, source, one).catch((thrown: unknown) => inHalves(run, one, thrown));
    if ('then' in brought) return brought;
    const { carried, ...stored } = brought;
    one.stored = stored;
    one.carried = carried;
    const sizeBytes = known(run, 'storedBytes');
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
});

async function bring(run: TransferRun, source: Facts['source'], one: RunPackage): Promise<CarriedPackage> {
  const { target } = run.facts;
  const { runId } = run.input;
  const { index: part } = one;
  const from = transferring(`package from ${source.name}`, run.transferQueue);
  const { packageBytes } = run.route.options.limits;
  const itemId = known(one, 'onSource');
  const input = { portal: source, itemId, key: keys.package(runId, part), packageBytes };
  // Of several packages each is in the store before the first goes on.
  if (!target || run.packages.length > 1) return await from.downloadPackage(input);
  // Its package item has the id that is derived from the run: cleanup finds it, whatever becomes of the download.
  run.traces.writesOn('target');
  return await from.carryPackage({ ...input, runId, target, part, again: run.parks > 0 });
}
