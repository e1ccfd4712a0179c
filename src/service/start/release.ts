import type { StartInput } from '../../contract/starts';
import { resolveRelease } from '../../config/resolve-pipeline';
import type { ReleaseInput } from '../../model/release/release-input';
import type { RunStart } from '../run/start-run';
import type { PreparedRun, Starting } from './prepared-run';

/** Prepares a release. Throws `PIPELINE_NOT_FOUND`, `PORTAL_NOT_FOUND`. */
export function prepareRelease(
  { config, requestId }: Starting,
  { pipeline, reason }: StartInput<'createRelease'>,
): PreparedRun {
  const start: RunStart<ReleaseInput> = {
    ...resolveRelease(config, pipeline),
    yes: false,
    requestId,
    reason,
  };
  return { kind: 'release', start };
}
