import type { ActivityDeps } from './deps';
import { countCoverage, finishRule, matchGroups } from './protect/rules';
import { readBannerBefore, showBanner, putBannerBack } from './portal-change/banners';
import { findChange, writeChange, checkChange } from './portal-change/documents';
import { findTaskRun, writeTaskRun, checkTaskRun } from './portal-change/task-runs';
import {
  checksOf,
  runCheck,
  choosePromotion,
  askSoak,
  openPromotion,
  commitPromotion,
} from './release/stage';
import { keepDocuments, mapImported, putDocumentsBack } from './release/mappings';
import { desireAsBefore, desireOfRelease } from './release/promoted-portal';
import { commitRelease, readPortalState } from './release/releases';
import { joinPlans, planWayBack } from './release/whole-plan';
import { admitAnswer, admitStart, signPart, saveRecord, getWorkerView } from './run/runs';
import { notify, deliver, filterSubscribedEvents } from './run/notifications';
import { requestSlot, leaveQueue, watchRun, nextStart, supersedeParked } from './run/temporal';
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
import { relayPackage } from './transfer/relay';
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
    awaitPackages,
    relayPackage,
    checkChange,
    checkDisk,
    checkOverwritten,
    checkReferences,
    checkStore,
    checkStored,
    checkTaskRun,
    checksOf,
    choosePromotion,
    closeLedger,
    commitPromotion,
    commitRelease,
    completeSafeguard,
    countCoverage,
    countSource,
    deliver,
    desireAsBefore,
    desireOfRelease,
    downloadPackage,
    findChange,
    findDisplaced,
    findInTheWay,
    findPackage,
    findTaskRun,
    finishRule,
    forgetByPolicy,
    getWorkerView,
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
    matchGroups,
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
    filterSubscribedEvents,
    writeChange,
    writeTaskRun,
  }),
  // These need nothing.
  leaveQueue,
  nextStart,
  requestSlot,
  watchRun,
});

export type Activities = ReturnType<typeof createActivities>;

/** An unbound activity: dependencies first, then its arguments. */
type Unbound = (deps: ActivityDeps, ...asked: never[]) => unknown;

type Bound<Activities> = {
  [Name in keyof Activities]: Activities[Name] extends (
    deps: ActivityDeps,
    ...asked: infer Arguments
  ) => infer Answer
    ? (...asked: Arguments) => Answer
    : never;
};

/** Gives the activities what they need. Temporal calls them without it. */
export const bind = <Activities extends Record<string, Unbound>>(
  deps: ActivityDeps,
  activities: Activities,
): Bound<Activities> =>
  Object.fromEntries(
    Object.entries(activities).map(([name, activity]) => [name, activity.bind(undefined, deps)]),
  ) as Bound<Activities>;
