import type { PortalConfig, StageConfig } from '../../../config/config';
import { groupIdOf } from '../../../config/resolve-pipeline';
import type { ReleaseManifest } from '../../../model/release/release';
import type { Snapshots } from '../../snapshot/snapshots';

/** Ids of items that a command gets of each group; how many there are stands beside them. */
const IDS_MAX = 1_000;

/** What a command gets as JSON on its standard input: what was promoted, and where it is now. */
export interface CheckContext {
  readonly runId: string;
  readonly pipeline: string;
  readonly stage: string;
  readonly check: string;
  readonly portal: { readonly name: string; readonly url: string };
  readonly release: { readonly id: string; readonly sha256: string };
  /** In the order of the release. */
  readonly groups: readonly {
    readonly name: string;
    /** Of the stage. */
    readonly groupId: string;
    /** How many items the release holds of it. */
    readonly items: number;
    /** The first thousand of them. */
    readonly itemIds: readonly string[];
  }[];
}

/** Throws what reading the release's snapshots throws. */
export async function contextOf(
  snapshots: Snapshots,
  asked: Pick<CheckContext, 'runId' | 'pipeline' | 'stage' | 'check'>,
  { id, sha256, groups }: ReleaseManifest,
  on: { readonly stage: StageConfig; readonly portal: PortalConfig },
): Promise<CheckContext> {
  const { runId, pipeline, stage, check } = asked;
  const { name, url } = on.portal;
  const held: CheckContext['groups'][number][] = [];
  for (const group of groups) {
    const rows = await snapshots.rowsOf(await snapshots.read(group.snapshotId));
    const saved = rows.filter((row) => row.saved !== 'no').map(({ itemId }) => itemId);
    held.push({
      name: group.name,
      groupId: groupIdOf(on.stage, group.name),
      items: saved.length,
      itemIds: saved.slice(0, IDS_MAX),
    });
  }
  return { runId, pipeline, stage, check, portal: { name, url }, release: { id, sha256 }, groups: held };
}

/** The same for programs that read no JSON. */
export const variablesOf = ({ runId, pipeline, stage, check, portal, release }: CheckContext) => ({
  PORTOLAN_RUN: runId,
  PORTOLAN_PIPELINE: pipeline,
  PORTOLAN_STAGE: stage,
  PORTOLAN_CHECK: check,
  PORTOLAN_RELEASE: release.id,
  PORTOLAN_PORTAL_URL: portal.url,
});
