import { isPartOf, partRunId } from '../run/run-id';
import {
  type RunInput,
  type RestoreInput,
  type RollbackInput,
  type Part,
  type BisectInput,
  type BisectPart,
  syncOfPart,
} from '../run/run-input';
import type { PlacementRules } from '../transfer/placement';
import type { Route } from '../transfer/route';
import type { ReferenceMap } from './reference-map';
import { backupByRule, type ProtectedPart, type ProtectInput } from '../snapshot/protect-input';
import { routeOfGroup, groupBackup, type ReleaseInput } from './release-input';

/** A group of a promotion: where its content comes from, and the group of the stage that takes it. */
export interface GroupToPromote {
  /** As the pipeline names it. */
  readonly name: string;
  readonly groupId: string;
  readonly from: { readonly portal: string; readonly url: string; readonly groupId: string };
  readonly snapshotId: string;
}

/**
 * What starts a promotion, or the way back from one: its route has the name of the pipeline, and goes from where the
 * release was made to the stage.
 */
export interface PromotionInput extends RunInput {
  readonly route: Route;
  readonly stage: string;
  readonly release: { readonly id: string; readonly sha256: string };
  /** In the order of the pipeline. */
  readonly groups: readonly GroupToPromote[];
  /** Give the portal the settings that the release holds. */
  readonly settings: boolean;
  /** Give it the category schema that the release holds. */
  readonly categories: boolean;
  /** Neither the order of the stages nor the soak is asked for. @default false */
  readonly hotfix?: boolean;
  /** Wait until the release has stood in the stage before for as long as the soak says. @default it is refused before */
  readonly atSoak?: boolean;
  readonly onFailure: 'park' | 'rollback';
  /** Placement of the items it creates. */
  readonly placementRules: PlacementRules;
  /** What is written in place of addresses and ids in the items that it imports. @default they stay as imported */
  readonly map?: ReferenceMap;
  /** Undo what this run has promoted into the stage. @default a promotion */
  readonly undoes?: string;
  /** In a rollback, also overwrite items edited since. @default false: they are kept */
  readonly overwriteEdits?: boolean;
}

/** Which child run of a promotion. */
type PromotionPart = GroupImport | GroupUndo | PortalPart;

/** Plans the import of a group, or imports it. */
export interface GroupImport extends GroupPart {
  /** The whole hash of the plan of that group, as it was approved with the others. @default it is only planned */
  readonly plan?: string;
}

/** Undoes the import of a group. */
export interface GroupUndo extends GroupPart {
  /** The run that imported it. */
  readonly undone: string;
  /** What is put back, if anything: what that run saved itself. */
  readonly snapshotId?: string;
}

interface GroupPart {
  /** Of the group, from 0. */
  readonly index: number;
  /** Of the run, from 1: each has one of its own. */
  readonly number: number;
}

/** Changes the stage's portal itself. */
interface PortalPart {
  readonly kind: 'settings' | 'category-schema';
  readonly number: number;
  readonly change: object;
}

/** @throws RangeError if the promotion has no such child run */
function partOfPromotion(promotion: PromotionInput, which: PromotionPart): Part {
  if ('kind' in which) return portalPart(promotion, which);
  return 'undone' in which ? groupRollback(promotion, which) : groupRestore(promotion, which);
}

function groupRestore(promotion: PromotionInput, { index, number, plan }: GroupImport): Part {
  const { runId, route, startedBy, yes } = promotion;
  const group = groupAt(promotion, index);
  const input: RestoreInput & { readonly parent: string } = {
    runId: partRunId(runId, number, 'restore'),
    parent: runId,
    startedBy,
    yes,
    // The promotion waits for the decision, once for all groups.
    parks: false,
    snapshotId: group.snapshotId,
    placementRules: promotion.placementRules,
    map: promotion.map,
    promotion: { ...stageOf(promotion), index, number, plan },
    route: {
      ...routeInto(route, group),
      options: { ...route.options, planOnly: plan === undefined },
    },
  };
  return { workflow: 'restore', input };
}

function groupRollback(promotion: PromotionInput, { index, number, undone, snapshotId }: GroupUndo): Part {
  const { runId, undoes = '', route, startedBy, overwriteEdits } = promotion;
  const { portal, url } = route.target;
  const group = groupAt(promotion, index);
  if (![runId, undoes].some((whole) => isPartOf(undone, whole)))
    throw new RangeError(`${undone} is no run of the promotion`);
  if (snapshotId !== undefined && !snapshotId.startsWith(`${undone}-safeguard-`))
    throw new RangeError(`${undone} has not saved ${snapshotId}`);
  const input: RollbackInput = {
    runId: partRunId(runId, number, 'rollback'),
    parent: undone,
    startedBy,
    yes: true,
    parks: false,
    deleteCreated: true,
    overwriteEdits: overwriteEdits || undefined,
    snapshotId,
    promotion: { ...stageOf(promotion), index, number },
    route: {
      ...routeInto(route, group),
      // What a safeguard holds was taken from the very group into which it goes back.
      source: { portal, url, groupId: group.groupId },
      options: { ...route.options, overwrite: true, data: 'replace', planOnly: false },
    },
  };
  return { workflow: 'rollback', input };
}

/** `transport/production`: a stage as people type it. */
export const stageName = (pipeline: string, stage: string): string => `${pipeline}/${stage}`;

/** Where promotions into a stage wait for one another. */
export const stageQueue = ({ route: { name }, stage }: Pick<PromotionInput, 'route' | 'stage'>) => ({
  portal: `stage:${name}.${stage}`,
  concurrency: { exports: 1, imports: 1 },
});

const stageOf = ({ runId, route: { name }, stage }: PromotionInput) => ({
  runId,
  stage: stageName(name, stage),
});

/** The route of a group, by which its child runs keep notes. */
export const routeInto = (route: Route, { name, groupId, from }: GroupToPromote): Route => ({
  ...route,
  name: routeOfGroup(route.name, name),
  source: from,
  target: { ...route.target, groupId },
});

function groupAt({ groups }: PromotionInput, index: number): GroupToPromote {
  const group = groups[index];
  if (!group) throw new RangeError(`the promotion has no group ${index}`);
  return group;
}

function portalPart(promotion: PromotionInput, { kind, number, change }: PortalPart): Part {
  const { runId, route, startedBy } = promotion;
  const isSettings = kind === 'settings';
  if (!(isSettings ? promotion.settings : promotion.categories))
    throw new RangeError(`the promotion does not change the ${kind}`);
  const { portal, url } = route.target;
  return {
    workflow: isSettings ? 'settings' : 'categorySchema',
    input: {
      operation: isSettings ? 'promote' : 'apply',
      ...change,
      runId: partRunId(runId, number, kind),
      portal: { portal, url },
      startedBy,
    },
  };
}

/**
 * What starts a promotion of what may go into a stage once it is due: when a schedule is signed, nobody knows which
 * release that will be.
 */
export interface DuePromotionInput extends RunInput {
  /** As that of the promotion will be. */
  readonly route: Route;
  readonly stage: string;
  /** Id of a release, or an end of it. @default the latest one that may go there */
  readonly release?: string;
}

/** The promotion that it starts, by what that is. */
export const promotionOf = (
  due: DuePromotionInput,
  what: Omit<PromotionInput, Exclude<keyof RunInput, 'route'> | 'hotfix' | 'undoes'>,
): PromotionInput => ({
  ...what,
  runId: partRunId(due.runId, 1),
  parent: due.runId,
  startedBy: due.startedBy,
  scheduledBy: due.scheduledBy,
  yes: due.yes,
  reason: due.reason,
});

/** Which child run a parent starts: all that its own start does not say. */
export type Which = BisectPart | { readonly index: number } | PromotionPart | ProtectedPart;

const parts: Readonly<Record<string, ((whole: object, which: Which) => Part) | undefined>> = {
  bisect: (search, which) => ({
    workflow: 'sync',
    input: syncOfPart(search as BisectInput, which as BisectPart),
  }),
  release: (release, which) => ({
    workflow: 'backup',
    input: groupBackup(release as ReleaseInput, (which as { index: number }).index),
  }),
  promotion: (promotion, which) => partOfPromotion(promotion as PromotionInput, which as PromotionPart),
  protect: (rule, which) => ({
    workflow: 'backup',
    input: backupByRule(rule as ProtectInput, which as ProtectedPart),
  }),
};

/**
 * A child run, derived from its parent's start: by the parent, and by the worker that signs it.
 * @param kind of the parent
 * @throws RangeError if the parent has no such child run
 */
export function partOf(kind: string, whole: object, which: Which): Part {
  const derive = parts[kind];
  if (!derive) throw new RangeError(`a ${kind} has no child runs`);
  return derive(whole, which);
}
