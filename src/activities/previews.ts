import type { PortalFacts } from '../checks/portal-facts';
import { PortolanError } from '../model/errors';
import { previewRow } from '../model/preview';
import type { PlanSummary } from '../model/plan';
import type { Route } from '../model/route';
import { previewImport } from '../portal/group-import';
import { keys } from '../store/keys';
import type { ActivityDeps } from './deps';
import { stopSignal } from './heartbeat';
import { readPages } from './pages';
import { buildPlan, type ReadPlan } from './plan-building';
import { readPreviewPages } from './preview-pages';

/** What the package says of itself. */
export interface PreviewSeen {
  readonly previewId?: string;
  /** Items in the package. */
  readonly total: number;
  readonly sourceVersion?: string;
  /** Under which addresses the portal that made the package knew itself. */
  readonly sourceAddresses: readonly string[];
}

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
      if (answer.kind !== 'preview') throw importStarted(target);
      const { preview } = answer;
      const { id, sourcePortalInfo: from } = preview.packageSummary ?? {};
      return {
        previewId: id,
        total: preview.total ?? preview.results.length,
        sourceVersion: from?.version,
        sourceAddresses: [from?.httpsUrl, from?.httpUrl].flatMap((address) => address || []),
      };
    },

    /** What a package on the target holds, as its preview says: read into the store under the returned prefix. */
    async listPackage(input: {
      runId: string;
      target: PortalFacts;
      groupId: string;
      packageItemId: string;
      reading: string;
    }): Promise<string> {
      const { target, groupId, packageItemId } = input;
      const portal = portals.open(target.name);
      const folder = keys.preview(input.runId, input.reading);
      const asked = { itemId: packageItemId, overwriteExistingItems: false, version: target.release };
      const answer = await previewImport(portal, groupId, asked, { signal: stopSignal() });
      if (answer.kind !== 'preview') throw importStarted(target);
      await readPreviewPages(portal, store, {
        groupId,
        packageItemId,
        previewId: answer.preview.packageSummary?.id,
        folder,
      });
      return folder;
    },

    /** Reads the preview to its last page, joins it with what the target holds, and keeps the plan in the store. */
    async readPlan(input: ReadPlan): Promise<PlanSummary> {
      const folder = keys.preview(input.runId, String(input.reading));
      await readPreviewPages(portals.open(input.target.name), store, {
        groupId: input.route.target.groupId,
        packageItemId: input.packageItemId,
        previewId: input.previewId,
        folder,
      });
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
        arrivedLater: plan.arrivedLater,
        ref,
      };
    },
  };
}

const importStarted = (target: PortalFacts): PortolanError =>
  new PortolanError(
    'IMPORT_UNDECIDED',
    `${target.name} answered the preview with an import that has started`,
    {
      portal: target.name,
      hint: 'Look at the target group: this portal does not honour previewOnly.',
    },
  );
