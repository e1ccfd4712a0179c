import { lookAtAges, noteAge } from './snapshot/ages';
import { createArrangementActivities } from './transfer/arrangements';
import { admitAnswer, admitStart, signPart } from './run/authority';
import { bind } from './bind';
import { readBannerBefore, showBanner, putBannerBack } from './portal-change/banners';
import type { ActivityDeps } from './deps';
import { readGroupNow, keepSnapshot, forgetByPolicy } from './snapshot/backups';
import { createCarryActivities } from './transfer/relay/carrying';
import {
  findCategorySchema,
  assignCategorySchema,
  deleteCategorySchema,
  checkCategorySchema,
} from './portal-change/category-schemas';
import { checksOf, runCheck } from './release/checks';
import { createDownloadActivities } from './transfer/downloads';
import { findInTheWay, proveSnapshot, takeAway } from './snapshot/drills';
import { choosePromotion } from './release/due-promotions';
import { createExportActivities } from './transfer/exports';
import { requestSlot, leaveQueue, watchRun } from './run/portal-queues';
import { createGuardActivities } from './transfer/guards';
import { createGuardsAgainActivities } from './transfer/recheck-guards';
import { createImportActivities } from './transfer/imports';
import { createJobActivities } from './transfer/jobs';
import { createKeptPackageActivities } from './transfer/kept-package';
import { createLedgerActivities } from './transfer/plan/ledgers';
import { keepDocuments, mapImported, putDocumentsBack } from './release/mappings';
import { notify, deliver, wanted } from './run/notifications';
import { createPackageActivities } from './transfer/packages';
import { createPartActivities } from './transfer/parts';
import { createPlacementActivities } from './transfer/placements';
import { createPreviewActivities } from './transfer/plan/previews';
import { saveRecord } from './run/records';
import { desireAsBefore, desireOfRelease } from './release/promoted-portal';
import { askSoak, openPromotion } from './release/stage';
import { commitPromotion } from './release/stage-entry';
import { joinPlans, planWayBack } from './release/whole-plan';
import { claimRelease, giveReleaseBack, readPortalState, commitRelease } from './release/releases';
import { openSnapshot, checkStored } from './snapshot/restores';
import { putBack, checkOverwritten, noteLeft, handleCreated } from './snapshot/rollbacks';
import { createSafeguardActivities } from './transfer/safeguards';
import { nextStart, supersedeParked } from './run/schedules';
import { findSettings, writeSettings, checkSettings } from './portal-change/settings';
import { findTaskRun, writeTaskRun, checkTaskRun } from './portal-change/task-runs';
import { createUploadActivities } from './transfer/uploads';
import { createVerifyActivities } from './transfer/verifications';
import { getWorkerView } from './run/worker-views';

/** All activities of a worker. */
export const createActivities = (deps: ActivityDeps) => ({
  ...bind(deps, {
    admitAnswer,
    admitStart,
    askSoak,
    assignCategorySchema,
    checkCategorySchema,
    checkOverwritten,
    checkSettings,
    checkStored,
    checkTaskRun,
    checksOf,
    choosePromotion,
    claimRelease,
    commitPromotion,
    commitRelease,
    deleteCategorySchema,
    deliver,
    desireAsBefore,
    desireOfRelease,
    findCategorySchema,
    findInTheWay,
    findSettings,
    findTaskRun,
    forgetByPolicy,
    getWorkerView,
    giveReleaseBack,
    handleCreated,
    joinPlans,
    keepDocuments,
    keepSnapshot,
    lookAtAges,
    mapImported,
    noteAge,
    noteLeft,
    notify,
    openPromotion,
    openSnapshot,
    planWayBack,
    proveSnapshot,
    putBack,
    putBannerBack,
    putDocumentsBack,
    readBannerBefore,
    readGroupNow,
    readPortalState,
    runCheck,
    saveRecord,
    showBanner,
    signPart,
    supersedeParked,
    takeAway,
    wanted,
    writeSettings,
    writeTaskRun,
  }),
  // These need nothing.
  ...{ leaveQueue, nextStart, requestSlot, watchRun },
  ...createGuardActivities(deps),
  ...createGuardsAgainActivities(deps),
  ...createExportActivities(deps),
  ...createJobActivities(deps),
  ...createDownloadActivities(deps),
  ...createCarryActivities(deps),
  ...createUploadActivities(deps),
  ...createPartActivities(deps),
  ...createPreviewActivities(deps),
  ...createSafeguardActivities(deps),
  ...createImportActivities(deps),
  ...createPlacementActivities(deps),
  ...createArrangementActivities(deps),
  ...createVerifyActivities(deps),
  ...createLedgerActivities(deps),
  ...createPackageActivities(deps),
  ...createKeptPackageActivities(deps),
});

export type Activities = ReturnType<typeof createActivities>;
