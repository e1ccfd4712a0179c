import { bind } from './bind';
import type { ActivityDeps } from './deps';
import { readBannerBefore, showBanner, putBannerBack } from './portal-change/banners';
import {
  findCategorySchema,
  assignCategorySchema,
  deleteCategorySchema,
  checkCategorySchema,
} from './portal-change/category-schemas';
import { findSettings, writeSettings, checkSettings } from './portal-change/settings';
import { findTaskRun, writeTaskRun, checkTaskRun } from './portal-change/task-runs';
import { checksOf, runCheck } from './release/checks';
import { choosePromotion } from './release/due-promotions';
import { keepDocuments, mapImported, putDocumentsBack } from './release/mappings';
import { desireAsBefore, desireOfRelease } from './release/promoted-portal';
import { claimRelease, giveReleaseBack, readPortalState, commitRelease } from './release/releases';
import { askSoak, openPromotion } from './release/stage';
import { commitPromotion } from './release/stage-entry';
import { joinPlans, planWayBack } from './release/whole-plan';
import { admitAnswer, admitStart, signPart } from './run/authority';
import { notify, deliver, wanted } from './run/notifications';
import { requestSlot, leaveQueue, watchRun } from './run/portal-queues';
import { saveRecord } from './run/records';
import { nextStart, supersedeParked } from './run/schedules';
import { getWorkerView } from './run/worker-views';
import { lookAtAges, noteAge } from './snapshot/ages';
import { readGroupNow, keepSnapshot, forgetByPolicy } from './snapshot/backups';
import { findInTheWay, proveSnapshot, takeAway } from './snapshot/drills';
import { openSnapshot, checkStored } from './snapshot/restores';
import { putBack, checkOverwritten, noteLeft, handleCreated } from './snapshot/rollbacks';
import { arrangeCreated, makeFolders, noteArranged } from './transfer/arrangements';
import { downloadPackage, proveTwoPortals } from './transfer/downloads';
import { startExport } from './transfer/exports';
import {
  inspectPortals,
  inspectEnd,
  inspectGroup,
  listRequested,
  checkDisk,
  checkStore,
  checkReferences,
  askWindow,
  askGuardsAgain,
} from './transfer/guards';
import { findPackage, lookAtTarget, startImport } from './transfer/imports';
import { pollJob } from './transfer/jobs';
import { adoptPackage, removePackages, tidyStore } from './transfer/packages';
import { splitRequested, halvePart } from './transfer/parts';
import { findDisplaced, restorePart } from './transfer/placements';
import { closeLedger, uniteLedgers, noteLastRun, noteOutcomes } from './transfer/plan/ledgers';
import { planUndo, readPlan } from './transfer/plan/plan-building';
import { listPackages, requestPreviews } from './transfer/plan/previews';
import { carryPackage } from './transfer/relay';
import { completeSafeguard } from './transfer/safeguards';
import { addPackage, uploadParts, awaitPackages } from './transfer/uploads';
import { countSource, verifyItems, reportFindings } from './transfer/verifications';

/** All activities of a worker. */
export const createActivities = (deps: ActivityDeps) => ({
  ...bind(deps, {
    addPackage,
    admitAnswer,
    admitStart,
    adoptPackage,
    arrangeCreated,
    askGuardsAgain,
    askSoak,
    askWindow,
    assignCategorySchema,
    awaitPackages,
    carryPackage,
    checkCategorySchema,
    checkDisk,
    checkOverwritten,
    checkReferences,
    checkSettings,
    checkStore,
    checkStored,
    checkTaskRun,
    checksOf,
    choosePromotion,
    claimRelease,
    closeLedger,
    commitPromotion,
    commitRelease,
    completeSafeguard,
    countSource,
    deleteCategorySchema,
    deliver,
    desireAsBefore,
    desireOfRelease,
    downloadPackage,
    findCategorySchema,
    findDisplaced,
    findInTheWay,
    findPackage,
    findSettings,
    findTaskRun,
    forgetByPolicy,
    getWorkerView,
    giveReleaseBack,
    halvePart,
    handleCreated,
    inspectEnd,
    inspectGroup,
    inspectPortals,
    joinPlans,
    keepDocuments,
    keepSnapshot,
    listPackages,
    listRequested,
    lookAtAges,
    lookAtTarget,
    makeFolders,
    mapImported,
    noteAge,
    noteArranged,
    noteLastRun,
    noteLeft,
    noteOutcomes,
    notify,
    openPromotion,
    openSnapshot,
    planUndo,
    planWayBack,
    pollJob,
    proveSnapshot,
    proveTwoPortals,
    putBack,
    putBannerBack,
    putDocumentsBack,
    readBannerBefore,
    readGroupNow,
    readPlan,
    readPortalState,
    removePackages,
    reportFindings,
    requestPreviews,
    restorePart,
    runCheck,
    saveRecord,
    showBanner,
    signPart,
    splitRequested,
    startExport,
    startImport,
    supersedeParked,
    takeAway,
    tidyStore,
    uniteLedgers,
    uploadParts,
    verifyItems,
    wanted,
    writeSettings,
    writeTaskRun,
  }),
  // These need nothing.
  ...{ leaveQueue, nextStart, requestSlot, watchRun },
});

export type Activities = ReturnType<typeof createActivities>;
