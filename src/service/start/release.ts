import type { z } from 'zod';
import { resolveRelease } from '../../config/resolve-pipeline';
import type { ReleaseInput } from '../../model/release/release-input';
import { requireAbleWorkers } from '../run/compatible-workers';
import type { WriteContext } from '../run/run-sources';
import { type RunStart, startRun } from '../run/start-run';
import { anyStart, named, type PreparedRun, type Requested } from './prepared-run';

/** Request for a release. */
export const releaseRequest = anyStart.extend({
  pipeline: named.describe('pipeline in portolan.yaml'),
});
export type ReleaseRequest = z.input<typeof releaseRequest>;

/** Prepares a release. Throws `PIPELINE_NOT_FOUND`, `PORTAL_NOT_FOUND`, `NO_WORKER`. */
export async function prepareRelease(
  sources: WriteContext,
  { pipeline, reason }: ReleaseRequest,
  { requestId }: Requested = {},
): Promise<PreparedRun> {
  const { route, ...release } = resolveRelease(sources.config, pipeline);
  const workers = await requireAbleWorkers(sources, [route.source.portal]);
  const start: RunStart<ReleaseInput> = { route, ...release, yes: false, requestId, reason };
  return { kind: 'release', route, workers, begin: () => startRun('release', sources, start) };
}
