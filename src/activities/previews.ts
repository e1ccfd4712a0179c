import type { PortalFacts } from '../checks/portal-facts';
import { PortolanError } from '../model/errors';
import { type PreviewRow, previewRow } from '../model/preview';
import type { PlanSummary } from '../model/plan';
import type { Route } from '../model/route';
import { previewImport } from '../portal/group-import';
import { type PreviewRow as PortalRow, readPreviewPage } from '../portal/import-preview';
import { keys } from '../store/keys';
import type { ActivityDeps } from './deps';
import { lastProgress, progress, stopSignal } from './heartbeat';
import { readPages, writePage } from './pages';
import { buildPlan } from './plan-building';

export interface ReadPlan {
  readonly runId: string;
  /** Counts the readings of one run, so that an earlier plan stays to be compared with. */
  readonly reading: number;
  readonly route: Route;
  readonly target: PortalFacts;
  readonly packageItemId: string;
  /** `packageSummary.id` of the preview's answer. */
  readonly previewId?: string;
  readonly packageSha256: string;
}

/** What the package says of itself. */
export interface PreviewSeen {
  readonly previewId?: string;
  /** Items in the package. */
  readonly total: number;
  readonly sourceVersion?: string;
  /** Under which addresses the portal that made the package knew itself. */
  readonly sourceAddresses: readonly string[];
}

interface PreviewCursor {
  readonly previewId: string;
  readonly nextStart: number;
}

/** The most that one page may hold on every portal that we know of. */
const PAGE_ROWS = 100;

export function createPreviewActivities({ portals, store }: ActivityDeps) {
  return {
    /**
     * Asks the target what an import would do. An answer that holds a job or result lists is an import that
     * has started, though none was asked for: it is reported as such, never taken for a preview.
     */
    async requestPreview(input: {
      route: Route;
      target: PortalFacts;
      packageItemId: string;
    }): Promise<PreviewSeen> {
      const { route, target } = input;
      const answer = await previewImport(
        portals.open(target.name),
        route.target.groupId,
        {
          itemId: input.packageItemId,
          overwriteExistingItems: route.options.overwrite,
          version: target.release,
        },
        { signal: stopSignal() },
      );
      if (answer.kind !== 'preview') {
        throw new PortolanError(
          'IMPORT_UNDECIDED',
          `${target.name} answered the preview with an import that has started`,
          {
            portal: target.name,
            hint: 'Look at the target group: this portal does not honour previewOnly.',
          },
        );
      }
      const { preview } = answer;
      const { id, sourcePortalInfo: from } = preview.packageSummary ?? {};
      return {
        previewId: id,
        total: preview.total ?? preview.results.length,
        sourceVersion: from?.version,
        sourceAddresses: [from?.httpsUrl, from?.httpUrl].flatMap((address) => address || []),
      };
    },

    /** Reads the preview to its last page, joins it with what the target holds, and keeps the plan in the store. */
    async readPlan(input: ReadPlan): Promise<PlanSummary> {
      const folder = keys.preview(input.runId, input.reading);
      await readPreview(input, folder);
      const rows = await readPages(store, folder, previewRow);
      const plan = await buildPlan({ portals, store }, input, rows);
      const ref = keys.plan(input.runId, input.reading);
      await store.writeJson(ref, plan);
      const count = (action: string): number => plan.rows.filter((row) => row.action === action).length;
      return {
        create: count('create'),
        overwrite: count('overwrite'),
        keep: count('keep'),
        blocked: count('blocked'),
        extra: count('extra'),
        hash: plan.hash,
        ref,
      };
    },
  };

  async function readPreview(input: ReadPlan, folder: string): Promise<void> {
    const portal = portals.open(input.target.name);
    const group = input.route.target.groupId;
    // Pages are asked for under the package's item id; portals that know them by the summary's id answer "not found".
    const candidates = [input.packageItemId, input.previewId].filter((id) => id !== undefined);
    let { previewId, nextStart } = lastProgress<PreviewCursor>() ?? {
      previewId: candidates[0] ?? input.packageItemId,
      nextStart: 1,
    };
    while (nextStart > 0) {
      const start = nextStart;
      const page = await readPreviewPage(
        portal,
        group,
        previewId,
        { start, num: PAGE_ROWS },
        { signal: stopSignal() },
      ).catch((thrown: unknown) => {
        const other = candidates.find((id) => id !== previewId);
        if (start === 1 && other !== undefined && isUnknownPreview(thrown)) return undefined;
        throw thrown;
      });
      if (!page) {
        previewId = candidates.find((id) => id !== previewId) ?? previewId;
        candidates.length = 0;
        continue;
      }
      await writePage(store, folder, start, page.results.map(toRow));
      const next = page.nextStart ?? -1;
      if (next > 0 && next <= start) {
        throw new PortolanError(
          'BAD_RESPONSE',
          `the preview on ${portal.name} does not advance from row ${start}`,
          { portal: portal.name },
        );
      }
      nextStart = next;
      progress({ previewId, nextStart } satisfies PreviewCursor);
    }
  }
}

const isUnknownPreview = (thrown: unknown): boolean =>
  thrown instanceof PortolanError &&
  ['NOT_FOUND', 'ITEM_NOT_FOUND', 'GROUP_NOT_FOUND', 'BAD_REQUEST'].includes(thrown.code);

const toRow = (row: PortalRow): PreviewRow => ({
  itemId: row.id,
  type: row.type ?? '?',
  title: row.title ?? '?',
  size: row.size,
  exists: row.exists ?? false,
  // A portal that does not say so lets the import decide.
  canImport: row.canImport ?? true,
  modified: row.modified,
});
