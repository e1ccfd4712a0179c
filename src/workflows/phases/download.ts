import { transferring } from '../run/calls';
import { have } from '../run/context';
import { bytesText } from '../../model/text/bytes-text';
import { keys } from '../../store/keys';
import type { Phase, PhaseEnd } from '../run/run';
import { shortSha } from './reuse';

/** Brings the package into the store. */
export const download: Phase = {
  name: 'download',
  async run(run): Promise<PhaseEnd> {
    const source = have(run.context, 'source');
    const fetched = await transferring(`package from ${source.name}`, run.transferQueue).downloadPackage({
      portal: source,
      itemId: have(run.context, 'sourcePackage'),
      key: keys.package(run.input.runId),
      packageBytes: run.route.options.limits.packageBytes,
    });
    run.context.package = fetched;
    run.state.package = {
      sizeBytes: fetched.sizeBytes,
      sha256: fetched.sha256,
      sourceVersion: source.release?.text,
    };
    if (!fetched.sizeChecked)
      run.warn(`${source.name} does not say how long its package is; only its end was seen`);
    return {
      detail: `${bytesText(fetched.sizeBytes)}, sha256 ${shortSha(fetched.sha256)}`,
    };
  },
};
