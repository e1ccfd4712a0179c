import { createAgeActivities } from './snapshot/ages';
import { admitAnswer, admitStart, signPart } from './run/authority';
import { bind } from './bind';
import { createBannerActivities } from './portal-change/banners';
import type { ActivityDeps } from './deps';
import { createBackupActivities } from './snapshot/backups';
import { createCategorySchemaActivities } from './portal-change/category-schemas';
import { createCheckActivities } from './release/checks';
import { createDrillActivities } from './snapshot/drills';
import { createDuePromotionActivities } from './release/due-promotions';
import { createPortalQueueActivities } from './run/portal-queues';
import { arrangeCreated, makeFolders, noteArranged } from './transfer/arrangements';
import { downloadPackage, proveTwoPortals } from './transfer/downloads';
import {
  inspectPortals,
  inspectEnd,
  inspectGroup,
  listRequested,
  checkDisk,
  checkStore,
  checkReferences,
} from './transfer/guards';
import { adoptPackage } from './transfer/kept-package';
import { removePackages, tidyStore } from './transfer/packages';
import { splitRequested, halvePart } from './transfer/parts';
import {
  findDisplaced,
  giveItemsBack,
  moveItemsBack,
  shareItemsAgain,
  putThumbnailsBack,
  protectItemsAgain,
} from './transfer/placements';
import { closeLedger, uniteLedgers, noteLastRun, noteOutcomes } from './transfer/plan/ledgers';
import { askWindow, askGuardsAgain } from './transfer/recheck-guards';
import { carryPackage } from './transfer/relay/carrying';
import { completeSafeguard } from './transfer/safeguards';
import { addPackage, uploadParts, awaitPackages } from './transfer/uploads';
import { countSource, verifyItems, reportFindings } from './transfer/verifications';
import { startExport } from './transfer/exports';
import { findPackage, lookAtTarget, startImport } from './transfer/imports';
import { pollJob } from './transfer/jobs';
import { listPackages, planUndo, readPlan, requestPreviews } from './transfer/plan/previews';
import { createMappingActivities } from './release/mappings';
import { createNotificationActivities } from './run/notifications';
import { createRecordActivities } from './run/records';
import { createPromotionActivities } from './release/promotions';
import { createReleaseActivities } from './release/releases';
import { createRestoreActivities } from './snapshot/restores';
import { createRollbackActivities } from './snapshot/rollbacks';
import { createScheduleActivities } from './run/schedules';
import { createSettingsActivities } from './portal-change/settings';
import { createTaskRunActivities } from './portal-change/task-runs';
import { createWorkerViewActivities } from './run/worker-views';

/** All activities of a worker. */
export const createActivities = (deps: ActivityDeps) => ({
  ...bind(deps, { admitAnswer, admitStart, signPart }),
  ...bind(deps, {
    inspectPortals,
    inspectEnd,
    inspectGroup,
    listRequested,
    checkDisk,
    checkStore,
    checkReferences,
    askWindow,
    askGuardsAgain,
    splitRequested,
    halvePart,
    startExport,
    pollJob,
    downloadPackage,
    proveTwoPortals,
    carryPackage,
    adoptPackage,
    addPackage,
    uploadParts,
    awaitPackages,
    requestPreviews,
    listPackages,
    readPlan,
    planUndo,
    completeSafeguard,
    startImport,
    lookAtTarget,
    findPackage,
    countSource,
    verifyItems,
    reportFindings,
    closeLedger,
    uniteLedgers,
    noteLastRun,
    noteOutcomes,
    findDisplaced,
    giveItemsBack,
    moveItemsBack,
    shareItemsAgain,
    putThumbnailsBack,
    protectItemsAgain,
    arrangeCreated,
    makeFolders,
    noteArranged,
    removePackages,
    tidyStore,
  }),
  ...createBackupActivities(deps),
  ...createReleaseActivities(deps),
  ...createCheckActivities(deps),
  ...createDuePromotionActivities(deps),
  ...createPromotionActivities(deps),
  ...createRestoreActivities(deps),
  ...createDrillActivities(deps),
  ...createRollbackActivities(deps),
  ...createMappingActivities(deps),
  ...createRecordActivities(deps),
  ...createNotificationActivities(deps),
  ...createPortalQueueActivities(),
  ...createScheduleActivities(deps),
  ...createAgeActivities(deps),
  ...createSettingsActivities(deps),
  ...createTaskRunActivities(deps),
  ...createCategorySchemaActivities(deps),
  ...createBannerActivities(deps),
  ...createWorkerViewActivities(deps),
});

export type Activities = ReturnType<typeof createActivities>;
