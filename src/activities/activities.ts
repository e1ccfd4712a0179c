import { createAgeActivities } from './snapshot/ages';
import { createArrangementActivities } from './transfer/arrangements';
import { admitAnswer, admitStart, signPart } from './run/authority';
import { bind } from './bind';
import { createBannerActivities } from './portal-change/banners';
import type { ActivityDeps } from './deps';
import { createBackupActivities } from './snapshot/backups';
import { createCarryActivities } from './transfer/relay/carrying';
import { createCategorySchemaActivities } from './portal-change/category-schemas';
import { createCheckActivities } from './release/checks';
import { createDownloadActivities } from './transfer/downloads';
import { createDrillActivities } from './snapshot/drills';
import { createDuePromotionActivities } from './release/due-promotions';
import { createPortalQueueActivities } from './run/portal-queues';
import { startExport } from './transfer/exports';
import { findPackage, lookAtTarget, startImport } from './transfer/imports';
import { pollJob } from './transfer/jobs';
import { listPackages, planUndo, readPlan, requestPreviews } from './transfer/plan/previews';
import { createGuardActivities } from './transfer/guards';
import { createGuardsAgainActivities } from './transfer/recheck-guards';
import { createKeptPackageActivities } from './transfer/kept-package';
import { createLedgerActivities } from './transfer/plan/ledgers';
import { createMappingActivities } from './release/mappings';
import { createNotificationActivities } from './run/notifications';
import { createPackageActivities } from './transfer/packages';
import { createPartActivities } from './transfer/parts';
import { createPlacementActivities } from './transfer/placements';
import { createRecordActivities } from './run/records';
import { createPromotionActivities } from './release/promotions';
import { createReleaseActivities } from './release/releases';
import { createRestoreActivities } from './snapshot/restores';
import { createRollbackActivities } from './snapshot/rollbacks';
import { createSafeguardActivities } from './transfer/safeguards';
import { createScheduleActivities } from './run/schedules';
import { createSettingsActivities } from './portal-change/settings';
import { createTaskRunActivities } from './portal-change/task-runs';
import { createUploadActivities } from './transfer/uploads';
import { createVerifyActivities } from './transfer/verifications';
import { createWorkerViewActivities } from './run/worker-views';

/** All activities of a worker. */
export const createActivities = (deps: ActivityDeps) => ({
  ...bind(deps, { admitAnswer, admitStart, signPart }),
  ...bind(deps, { startExport, pollJob, requestPreviews, listPackages, readPlan, planUndo }),
  ...bind(deps, { startImport, lookAtTarget, findPackage }),
  ...createGuardActivities(deps),
  ...createGuardsAgainActivities(deps),
  ...createDownloadActivities(deps),
  ...createCarryActivities(deps),
  ...createUploadActivities(deps),
  ...createBackupActivities(deps),
  ...createReleaseActivities(deps),
  ...createCheckActivities(deps),
  ...createDuePromotionActivities(deps),
  ...createPromotionActivities(deps),
  ...createRestoreActivities(deps),
  ...createDrillActivities(deps),
  ...createRollbackActivities(deps),
  ...createPartActivities(deps),
  ...createSafeguardActivities(deps),
  ...createPlacementActivities(deps),
  ...createArrangementActivities(deps),
  ...createMappingActivities(deps),
  ...createVerifyActivities(deps),
  ...createLedgerActivities(deps),
  ...createPackageActivities(deps),
  ...createKeptPackageActivities(deps),
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
