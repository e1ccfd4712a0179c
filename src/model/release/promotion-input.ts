import type { ChangeInput } from '../portal-change/change';
import type { Proof } from '../run/signature';
import { isPartOf, partRunId } from '../run/run-id';
import type { RunInput } from '../run/run-input';
import type { RestoreInput, RollbackInput } from '../run/snapshot-input';
import type { PutRight } from '../transfer/apply-placement';
import type { Route } from '../transfer/route';
import type { ReferenceMap } from './reference-map';
import { routeOfGroup } from './release-input';
import { canonical } from '../text/canonical';

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
  /** What an import does not carry is put right, and who owns what it creates. */
  readonly putRight: PutRight;
  /** What is written in place of addresses and ids in the items that it imports. @default they stay as imported */
  readonly map?: ReferenceMap;
  /** Undo what this run has promoted into the stage. @default a promotion */
  readonly undoes?: string;
  /** In a rollback, also overwrite items edited since. @default false: they are kept */
  readonly overwriteEdits?: boolean;
}

/** What the run of one of its groups does. */
export type GroupWork =
  | { readonly does: 'plan' }
  /** @param plan the whole hash of the plan of that group, as it was approved with the others */
  | { readonly does: 'import'; readonly plan: string };

/** A part of a promotion: which of its groups, which of its runs, and what that does. */
export interface GroupPart {
  /** Of the group, from 0. */
  readonly index: number;
  /** Of the run, from 1: each has one of its own. */
  readonly number: number;
}

type Signable = { readonly parent: string; readonly proof?: Proof };

/** What starts the run that plans the import of a group, or imports it. */
export function groupRestore(
  promotion: PromotionInput,
  { index, number }: GroupPart,
  work: GroupWork,
): RestoreInput & Signable {
  const { runId, route, startedBy, yes } = promotion;
  const group = groupAt(promotion, index);
  return {
    runId: partRunId(runId, number, 'restore'),
    parent: runId,
    startedBy,
    yes,
    // The promotion waits for the decision, once for all groups.
    parks: false,
    snapshotId: group.snapshotId,
    putRight: promotion.putRight,
    ...(promotion.map && { map: promotion.map }),
    promotion: { ...stageOf(promotion), index, number, ...(work.does === 'import' && { plan: work.plan }) },
    route: {
      ...into(route, group),
      source: group.from,
      options: { ...route.options, planOnly: work.does === 'plan' },
    },
  };
}

/** What starts the run that undoes the import of a group. @param undone the run that imported it */
export function groupRollback(
  promotion: PromotionInput,
  { index, number }: GroupPart,
  { undone, snapshotId }: { readonly undone: string; readonly snapshotId?: string },
): RollbackInput & Signable {
  const { runId, route, startedBy, overwriteEdits } = promotion;
  return {
    runId: partRunId(runId, number, 'rollback'),
    parent: undone,
    startedBy,
    yes: true,
    parks: false,
    deleteCreated: true,
    ...(overwriteEdits && { overwriteEdits }),
    ...(snapshotId !== undefined && { snapshotId }),
    promotion: { ...stageOf(promotion), index, number },
    route: wayBack(route, groupAt(promotion, index)),
  };
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

/** What a safeguard holds was taken from the very group into which it goes back. */
function wayBack(route: Route, group: GroupToPromote): Route {
  const { portal, url } = route.target;
  return {
    ...into(route, group),
    source: { portal, url, groupId: group.groupId },
    options: { ...route.options, overwrite: true, data: 'replace', planOnly: false },
  };
}

const into = (route: Route, { name, groupId }: GroupToPromote): Route => ({
  ...route,
  name: routeOfGroup(route.name, name),
  target: { ...route.target, groupId },
});

function groupAt({ groups }: PromotionInput, index: number): GroupToPromote {
  const group = groups[index];
  if (!group) throw new RangeError(`the promotion has no group ${index}`);
  return group;
}

/** What starts the change of the stage's portal itself, but for what that is. */
export function portalPart(
  promotion: PromotionInput,
  { kind, number }: { readonly kind: 'settings' | 'category-schema'; readonly number: number },
): ChangeInput {
  const { runId, route, startedBy } = promotion;
  const { portal, url } = route.target;
  return {
    runId: partRunId(runId, number, kind),
    operation: kind === 'settings' ? 'promote' : 'apply',
    portal: { portal, url },
    startedBy,
  };
}

/** Of which workflow the part of a promotion is that a start would be of; undefined where it is none. */
export function partOfPromotion(part: object, promotion: PromotionInput): string | undefined {
  const { runId = '', startedBy, promotion: which, parent = '', snapshotId, portal } = part as PlainPart;
  if (startedBy !== promotion.startedBy) return undefined;
  if (portal) {
    const { target } = promotion.route;
    if (portal.portal !== target.portal || portal.url !== target.url) return undefined;
    if (runId.startsWith('settings-')) return promotion.settings ? 'settings' : undefined;
    return runId.startsWith('category-schema-') && promotion.categories ? 'categorySchema' : undefined;
  }
  if (!which || !promotion.groups[which.index]) return undefined;
  // What is put back is what the undone run has saved itself.
  if (
    snapshotId !== undefined &&
    which.plan === undefined &&
    isRollback(runId) &&
    !snapshotId.startsWith(`${parent}-safeguard-`)
  )
    return undefined;
  const isUndone = [promotion.runId, promotion.undoes ?? ''].some((whole) => isPartOf(parent, whole));
  const derived = isUndone
    ? groupRollback(promotion, which, { undone: parent, snapshotId })
    : groupRestore(
        promotion,
        which,
        which.plan === undefined ? { does: 'plan' } : { does: 'import', plan: which.plan },
      );
  return sameJson(part, derived) ? derived.runId.replace(/-.*/, '') : undefined;
}

const isRollback = (runId: string): boolean => runId.startsWith('rollback-');

type PlainPart = Partial<RestoreInput> & Partial<Pick<ChangeInput, 'portal'>>;

/** The same in whatever order its keys stand. */
const sameJson = (one: unknown, other: unknown): boolean => canonical(one) === canonical(other);
