import { workflowInfo } from '@temporalio/workflow';
import type { RunInput } from '../../model/run/run-input';
import type { RestoreInput, RollbackInput } from '../../model/run/snapshot-input';
import type { RunState } from '../../model/run/run-state';
import type { PutRight } from '../../model/transfer/apply-placement';
import { PlanNames } from '../../model/transfer/plan-hash';
import type { Route, RouteEnd, RunRoute } from '../../model/transfer/route';
import { PortalQueues } from '../portal-queue/portal-queues';
import { Packages } from './packages';
import { refusal } from '../run/failure';
import type { Kind } from '../run/phase';
import { Run } from '../run/run';
import type { Side } from '../run/portal-work';

/** A run that transfers a group's content, between two portals or a portal and the store. */
export class TransferRun extends Run {
  declare readonly input: RunInput;
  override readonly portalQueues: PortalQueues;
  private resolved: RunRoute;
  readonly planNames = new PlanNames();
  readonly packages = new Packages();

  constructor(kind: Kind<TransferRun>, input: RunInput, before?: RunState) {
    super(kind, input, before);
    this.resolved = input.route;
    this.portalQueues = new PortalQueues(input.runId, this);
  }

  /** The route as started, with the corrections of resumes. */
  override get route(): RunRoute {
    return this.resolved;
  }

  /** A person's corrections apply from here on. */
  correct(route: RunRoute, corrected: NonNullable<RunState['corrected']>): void {
    this.resolved = route;
    if (Object.keys(corrected).length > 0)
      this.show({ corrected: { ...this.state.corrected, ...corrected } });
  }

  get transferQueue(): string {
    return `${workflowInfo().taskQueue}-transfer`;
  }

  /** The route of a run that has a target. */
  get ends(): Route {
    const { target } = this.route;
    if (!target) throw refusal('INTERNAL', 'a backup has no target');
    return { ...this.route, target };
  }

  /** Its source or target. */
  end(side: Side): RouteEnd {
    return side === 'source' ? this.route.source : this.ends.target;
  }

  /** The placement to apply to created items; undefined if they stay as imported. */
  get putRight(): PutRight | undefined {
    return (this.input as RunInput & Pick<RestoreInput, 'putRight'>).putRight;
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

  /** Number of packages. */
  get parts(): number {
    return this.facts.requested?.parts ?? 1;
  }

  /**
   * Whether one activity handles several packages. Otherwise the number of activities, and so the history, grows with
   * the number of packages.
   */
  get sharesSteps(): boolean {
    return Math.max(this.parts, this.packages.count) > 1;
  }

  /** Makes another package the current one; facts are then about that one. */
  turnTo(index: number): void {
    this.learn(this.packages.turnTo(index));
  }

  /** Stores group titles; an unknown one stays as it is. */
  entitle(titles: { readonly source?: string; readonly target?: string }): void {
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
