import { patched } from '@temporalio/workflow';
import type { CarriedPackage } from '../../model/transfer/stored-package';
import { transferring } from '../run/calls';
import { bytesText } from '../../model/text/bytes-text';
import { keys } from '../../store/keys';
import type { Facts } from '../run/facts';
import { phase, type PhaseEnd } from '../run/phase';
import type { TransferRun } from '../transfer/transfer-run';
import { shortSha } from './reuse';

/** Brings the package into the store; of a sync, it goes on to the target while it comes, and is committed by the upload. */
export const download = phase({
  name: 'download',
  needs: ['source', 'sourcePackage'],
  gives: ['package', 'carried'],
  async run(run: TransferRun, { source, sourcePackage }, give): Promise<PhaseEnd> {
    const { target } = run.facts;
    const { carried, ...fetched } = await bring(run, source, sourcePackage);
    give({ package: fetched, carried });
    const { sizeBytes, sha256 } = fetched;
    run.show({ package: { sizeBytes, sha256, sourceVersion: source.release?.text } });
    if (!fetched.sizeChecked)
      run.warn(`${source.name} does not say how long its package is; only its end was seen`);
    const onwards =
      carried && target ? `; ${carried.parts} of ${carried.of} parts on ${target.name} by then` : '';
    return {
      detail: `${bytesText(fetched.sizeBytes)}, sha256 ${shortSha(fetched.sha256)}${onwards}`,
    };
  },
});

async function bring(run: TransferRun, source: Facts['source'], itemId: string): Promise<CarriedPackage> {
  const { target } = run.facts;
  const { runId } = run.input;
  const from = transferring(`package from ${source.name}`, run.transferQueue);
  const { packageBytes } = run.route.options.limits;
  const input = { portal: source, itemId, key: keys.package(runId), packageBytes };
  if (!target || !patched('a package goes up while it comes down')) return await from.downloadPackage(input);
  // Its package item has the id that is derived from the run: cleanup finds it, whatever becomes of the download.
  run.traces.writesOn('target');
  return await from.carryPackage({ ...input, runId, target, again: run.parks > 0 || undefined });
}
