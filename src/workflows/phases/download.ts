import type { CarriedPackage } from '../../model/transfer/stored-package';
import { transferring } from '../run/activity-options';
import { bytesText } from '../../model/text/bytes-text';
import { keys } from '../../store/keys';
import type { Facts } from '../run/facts';
import { phase, type PhaseEnd } from '../run/phase';
import type { TransferRun } from '../transfer/transfer-run';
import { inHalves } from '../transfer/halved-package';
import { shortSha } from './reuse';

/** Downloads the package into the store. A sync relays it to the target meanwhile; the upload phase commits it. */
export const download = phase({
  name: 'download',
  needs: ['source', 'sourcePackage'],
  gives: ['package', 'carried', 'requested'],
  async run(run: TransferRun, { source, sourcePackage }, give): Promise<PhaseEnd> {
    const { packages, parts } = run;
    const { target } = run.facts;
    const brought = await bring(run, source, sourcePackage).catch((thrown: unknown) =>
      inHalves(run, give, thrown, sourcePackage),
    );
    if ('then' in brought) return brought;
    const { carried, ...fetched } = brought;
    give({ package: fetched, carried });
    packages.note(packages.index, { stored: fetched });
    const { sha256 } = packages.first ?? fetched;
    run.show({
      package: {
        sizeBytes: packages.bytes,
        sha256,
        sourceVersion: source.release?.text,
        ...(parts > 1 && { parts }),
      },
    });
    if (!fetched.sizeChecked)
      run.warn(`${source.name} does not report the size of its package, so it could not be checked`);
    const onwards =
      carried && target ? `; ${carried.parts} of ${carried.of} parts already on ${target.name}` : '';
    const detail = `${bytesText(fetched.sizeBytes)}, sha256 ${shortSha(fetched.sha256)}${onwards}`;
    if (packages.count < parts) {
      run.turnTo(packages.count);
      return { detail: `package ${packages.count} of ${parts}: ${detail}`, then: 'export' };
    }
    if (parts === 1) return { detail };
    run.turnTo(0);
    return { detail: `${bytesText(packages.bytes)} in ${parts} packages` };
  },
});

async function bring(run: TransferRun, source: Facts['source'], itemId: string): Promise<CarriedPackage> {
  const { target } = run.facts;
  const { runId } = run.input;
  const from = transferring(`package from ${source.name}`, run.transferQueue, source.name);
  const { packageBytes } = run.route.options.limits;
  const input = { portal: source, itemId, key: keys.package(runId, run.packages.index), packageBytes };
  // With several packages, all must be in the store before the first is uploaded.
  if (!target || run.parts > 1) return await from.downloadPackage(input);
  // The package item's ID is derived from the run, so cleanup finds it even if the download fails.
  run.traces.writesOn('target');
  return await from.carryPackage({ ...input, runId, target, again: run.parks > 0 || undefined });
}
