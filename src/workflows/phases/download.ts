import { transferring } from '../run/calls';
import { bytesText } from '../../model/text/bytes-text';
import { keys } from '../../store/keys';
import { phase, type PhaseEnd } from '../run/phase';
import type { TransferRun } from '../transfer/transfer-run';
import { shortSha } from './reuse';

/** Brings the package into the store. */
export const download = phase({
  name: 'download',
  needs: ['source', 'sourcePackage'],
  gives: ['package'],
  async run(run: TransferRun, { source, sourcePackage }, give): Promise<PhaseEnd> {
    const fetched = await transferring(`package from ${source.name}`, run.transferQueue).downloadPackage({
      portal: source,
      itemId: sourcePackage,
      key: keys.package(run.input.runId),
      packageBytes: run.route.options.limits.packageBytes,
    });
    give({ package: fetched });
    const { sizeBytes, sha256 } = fetched;
    run.show({ package: { sizeBytes, sha256, sourceVersion: source.release?.text } });
    if (!fetched.sizeChecked)
      run.warn(`${source.name} does not say how long its package is; only its end was seen`);
    return {
      detail: `${bytesText(fetched.sizeBytes)}, sha256 ${shortSha(fetched.sha256)}`,
    };
  },
});
