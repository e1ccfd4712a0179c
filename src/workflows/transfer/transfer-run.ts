import { workflowInfo } from '@temporalio/workflow';
import type { RunInput, RestoreInput, RollbackInput } from '../../model/run/run-input';
import type { RunState } from '../../model/run/run-state';
import type { PlacementRules } from '../../model/transfer/placement';
import type { Route, RouteEnd, RunRoute } from '../../model/transfer/route';
import type { RunOnPlan, RunOnTarget } from '../../domain/transfer/portal-facts';
import { refusal } from '../run/failure';
import { Run } from '../run/run';
import type { Side } from '../../model/transfer/guard-steps';
import type { ExportStarted } from '../../activities/transfer/exports';
import type { ImportStarted } from '../../activities/transfer/imports';
import type { PreviewSeen } from '../../activities/transfer/plan/previews';
import type { Carried, PackageInStore } from '../../model/transfer/stored-package';

/** What only a transfer needs. */
interface TransferMemory {
  /** In import order. Most runs have one; a group over the limit needs several, and a restore may have several. */
  packages: RunPackage[];
  /** The route as started, with the corrections of resumes. */
  route: RunRoute;
  /** Identities of its plans by their short hashes. */
  readonly planNames: Record<string, string>;
}

/** A run that transfers a group's content, between two portals or a portal and the store. */
export class TransferRun extends Run<RunInput, TransferMemory> {
  override get route(): RunRoute {
    return this.own.route;
  }

  get packages(): RunPackage[] {
    return this.own.packages;
  }

  set packages(packages: RunPackage[]) {
    this.own.packages = packages;
  }

  /** A person's corrections apply from here on. */
  correct(route: RunRoute, corrected: NonNullable<RunState['corrected']>): void {
    this.own.route = route;
    if (Object.keys(corrected).length > 0)
      this.show({ corrected: { ...this.state.corrected, ...corrected } });
  }

  get transferQueue(): string {
    return `${workflowInfo().taskQueue}-transfer`;
  }

  /** The route of a run that has a target. */
  get fullRoute(): Route {
    const { target } = this.route;
    if (!target) throw refusal('INTERNAL', 'a backup has no target');
    return { ...this.route, target };
  }

  /** The run on its target, as activities take it. */
  get onTarget(): RunOnTarget {
    return { runId: this.input.runId, route: this.fullRoute, target: this.need('target') };
  }

  /** The same, with its plan. */
  get onPlan(): RunOnPlan {
    return { ...this.onTarget, planRef: this.need('plan').ref };
  }

  /** Its source or target. */
  end(side: Side): RouteEnd {
    return side === 'source' ? this.route.source : this.fullRoute.target;
  }

  /** The placement to apply to created items; undefined if they stay as imported. */
  get placementRules(): PlacementRules | undefined {
    return (this.input as RunInput & Pick<RestoreInput, 'placementRules'>).placementRules;
  }

  /** Whether it maps URLs and IDs. */
  get maps(): boolean {
    return (this.input as Pick<RestoreInput, 'map'>).map !== undefined;
  }

  /** The run since which edits are kept; undefined if they are overwritten. */
  get keepsEditedSince(): string | undefined {
    const { promotion, parent, overwriteEdits } = this.input as RunInput & Partial<RollbackInput>;
    return this.kind.undoes && promotion && !overwriteEdits ? parent : undefined;
  }

  /** Whether no item has changed since earlier runs; items that cannot be exported do not count. */
  get isUntouched(): boolean {
    const { count = 0, skipped = 0, same = 0 } = this.facts.requested ?? {};
    return same > 0 && same + skipped === count;
  }

  /** The package that is downloaded next. */
  get toFetch(): RunPackage | undefined {
    return this.packages.find(({ stored }) => !stored);
  }

  /** The package that is imported next. */
  get toImport(): RunPackage | undefined {
    return this.packages.find(({ isImported }) => !isImported);
  }

  /** URLs of the portal that made the packages, from their previews. */
  get sourceAddresses(): string[] {
    return [...new Set(this.packages.flatMap(({ preview }) => preview?.sourceAddresses ?? []))];
  }

  /** Whether the portal exported nothing, so that there is no package. */
  get exportedNothing(): boolean {
    return this.packages.some(({ exported }) => exported?.kind === 'nothing');
  }

  /** Total size of packages in the store; undefined if there is none. @format bytes */
  get storedBytes(): number | undefined {
    const stored = this.packages.flatMap((each) => each.stored ?? []);
    return stored.length === 0 ? undefined : stored.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  }

  /** Stores group titles; an unknown one stays as it is. */
  recordGroupTitles(titles: { readonly source?: string; readonly target?: string }): void {
    const { name, source, target } = this.state.route;
    this.show({
      route: {
        name,
        source: source && { ...source, groupTitle: titles.source ?? source.groupTitle },
        target: target && { ...target, groupTitle: titles.target ?? target.groupTitle },
      },
    });
  }
}

/** One of a run's packages and its progress. */
export interface RunPackage {
  /** From 0, in import order. */
  readonly index: number;
  /** Number of its export, from 1: a split package is exported again. */
  round: number;
  exported?: ExportStarted | undefined;
  /** ID of the package item on the source. */
  onSource?: string | undefined;
  stored?: PackageInStore | undefined;
  /** What was relayed to the target during the download. */
  carried?: Carried | undefined;
  /** ID of the package item on the target. */
  onTarget?: string | undefined;
  /** What its preview reports. */
  preview?: PreviewSeen | undefined;
  importStarted?: ImportStarted | undefined;
  /** An import of it may have begun. */
  isPosted?: boolean;
  /** Its import has ended, whatever its result. */
  isImported?: boolean;
}

/** Packages of which nothing is known yet. */
export const newPackages = (count: number): RunPackage[] =>
  Array.from({ length: count }, (_, index) => ({ index, round: 1 }));
