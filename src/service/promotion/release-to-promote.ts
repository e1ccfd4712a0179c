import type { PipelineConfig, StageConfig } from '../../config/config';
import { findRelease } from '../../domain/resolve-id';
import type { Releases } from '../../domain/release/releases';
import { PortolanError } from '../../model/errors/errors';
import type { ReleaseManifest } from '../../model/release/release';

/** A typed release, or the current release of the previous stage. */
interface TypedRelease {
  readonly pipeline: PipelineConfig;
  readonly stage: StageConfig;
  readonly text: string | undefined;
}

/**
 * The release to promote to a stage. Throws `USAGE` for one of another pipeline, `RELEASE_NOT_FOUND`, and
 * `PROMOTION_REFUSED` if none was named and the previous stage has none.
 */
export async function releaseToPromote(
  releases: Releases,
  { pipeline, stage, text }: TypedRelease,
): Promise<ReleaseManifest> {
  const id =
    text === undefined ? await standsBefore(releases, pipeline, stage) : await findRelease(releases, text);
  const { manifest } = await releases.read(id);
  if (manifest.pipeline === pipeline.name) return manifest;
  throw new PortolanError('USAGE', `${id} is a release of ${manifest.pipeline}, not of ${pipeline.name}.`, {
    hint: `List releases of ${pipeline.name}: portolan release list ${pipeline.name}`,
  });
}

async function standsBefore(
  releases: Releases,
  pipeline: PipelineConfig,
  { name, after }: StageConfig,
): Promise<string> {
  const standings = await releases.promotions.standings(pipeline);
  const standing = after === undefined ? undefined : standings.get(after)?.at(-1);
  if (standing) return standing.release;
  throw new PortolanError(
    'PROMOTION_REFUSED',
    after === undefined
      ? `${name} is the first stage of ${pipeline.name}, where releases are created.`
      : `${after}, the stage before ${name}, has no release.`,
    { hint: `See current releases: portolan promote status ${pipeline.name}` },
  );
}
