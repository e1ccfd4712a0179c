import { createAgeActivities } from './ages';
import { createBannerActivities } from './banners';
import type { ActivityDeps } from './deps';
import { createBackupActivities } from './backups';
import { createCategorySchemaActivities } from './category-schemas';
import { createDownloadActivities } from './downloads';
import { createDrillActivities } from './drills';
import { createExportActivities } from './exports';
import { createGateActivities } from './gates';
import { createGuardActivities } from './guards';
import { createImportActivities } from './imports';
import { createJobActivities } from './jobs';
import { createKeptPackageActivities } from './kept-package';
import { createLedgerActivities } from './ledgers';
import { createNotificationActivities } from './notifications';
import { createPackageActivities } from './packages';
import { createPreviewActivities } from './previews';
import { createRecordActivities } from './records';
import { createRestoreActivities } from './restores';
import { createRollbackActivities } from './rollbacks';
import { createSafeguardActivities } from './safeguards';
import { createScheduleActivities } from './schedules';
import { createSettingsActivities } from './settings';
import { createTaskRunActivities } from './task-runs';
import { createUploadActivities } from './uploads';
import { createVerifyActivities } from './verifications';

/** Every activity of a worker, over one set of portals and one store. */
export const createActivities = (deps: ActivityDeps) => ({
  ...createGuardActivities(deps),
  ...createExportActivities(deps),
  ...createJobActivities(deps),
  ...createDownloadActivities(deps),
  ...createUploadActivities(deps),
  ...createBackupActivities(deps),
  ...createRestoreActivities(deps),
  ...createDrillActivities(deps),
  ...createRollbackActivities(deps),
  ...createPreviewActivities(deps),
  ...createSafeguardActivities(deps),
  ...createImportActivities(deps),
  ...createVerifyActivities(deps),
  ...createLedgerActivities(deps),
  ...createPackageActivities(deps),
  ...createKeptPackageActivities(deps),
  ...createRecordActivities(deps),
  ...createNotificationActivities(deps),
  ...createGateActivities(),
  ...createScheduleActivities(),
  ...createAgeActivities(deps),
  ...createSettingsActivities(deps),
  ...createTaskRunActivities(deps),
  ...createCategorySchemaActivities(deps),
  ...createBannerActivities(deps),
});

export type Activities = ReturnType<typeof createActivities>;
