import type { ChildWorkflowHandle, Workflow } from '@temporalio/workflow';
import { type PromotionInput, stageName } from '../../model/release/promotion-input';
import type { ErrorRecord } from '../../model/run/run';
import type { RunStatus } from '../../model/run/phase';
import type { Cancel } from '../../model/run/run-input';
import type { RunState } from '../../model/run/run-state';
import { PortalQueues } from '../portal-queue/portal-queues';
import type { Facts } from '../run/facts';
import { cancelSignal } from '../run/messages';
import type { Kind, Phase } from '../run/phase';
import { type Answers, Run } from '../run/run';

type Child = NonNullable<RunState['children']>[number];

/** A group's progress, as of its last child run. */
export interface GroupProgress {
  /** Its plan, by the run that made it, and that plan's full hash. */
  readonly planned?: { readonly ref: string; readonly sha256: string } | undefined;
  /** `imported`: as planned, and verified. `unclear`: partly, or unknown. `back`: rolled back. */
  readonly stands?: 'imported' | 'unclear' | 'back';
  /** Whether its import has written anything. */
  readonly isWritten?: boolean;
  /** The run that imported it. */
  readonly runId?: string;
  /** That run's safeguard. */
  readonly safeguard?: string;
}

/** A change of the portal: the run that made it first, and whether it is complete. */
interface PortalChange {
  readonly runId: string;
  readonly isWhole: boolean;
}
export interface PortalProgress {
  readonly settings?: PortalChange;
  readonly categories?: PortalChange;
}

/** Progress of a promotion. */
export interface Progress {
  readonly state: RunState;
  readonly facts: Partial<Pick<Facts, 'ruling' | 'plan' | 'approved' | 'planReading'>>;
  readonly groups: Readonly<Record<number, GroupProgress>>;
  readonly portal: PortalProgress;
  readonly parts: number;
  readonly left: number;
  readonly failure?: ErrorRecord;
  readonly answers: Pick<Answers, 'approved' | 'heard' | 'yesIsSpent'>;
  /** The phase to continue with. */
  readonly phase: string;
}

/** An open promotion: the progress of each group, and its open child runs. */
export class PromotionRun extends Run {
  declare readonly input: PromotionInput;
  override readonly portalQueues: PortalQueues;
  /** Open child runs. */
  readonly underWay = new Set<ChildWorkflowHandle<Workflow>>();
  /** By group index. */
  groups: Readonly<Record<number, GroupProgress>>;
  portal: PortalProgress;
  /** Why it is rolled back. */
  failure: ErrorRecord | undefined;
  /** Number of items that could not be rolled back. */
  left: number;
  /** Whether its outcome is recorded for the stage. */
  isCommitted = false;
  private parts: number;
  private phase: string | undefined;

  constructor(kind: Kind<PromotionRun>, input: PromotionInput, before?: Progress) {
    super(kind, input, before?.state);
    const stage = stageName(input.route.name, input.stage);
    this.show({
      ...{ children: before?.state.children ?? [], release: input.release, stage },
      ...(input.undoes !== undefined && { undoes: before?.state.undoes ?? { runId: input.undoes } }),
    });
    this.learn(before?.facts ?? {});
    this.groups = before?.groups ?? {};
    this.portal = before?.portal ?? {};
    this.parts = before?.parts ?? 0;
    this.left = before?.left ?? 0;
    this.failure = before?.failure;
    Object.assign(this.answers, before?.answers);
    this.phase = before?.phase;
    if (this.isWritten) this.traces.touchesTarget();
    this.portalQueues = new PortalQueues(input.runId, this);
  }

  override get route(): PromotionInput['route'] {
    return this.input.route;
  }

  get children(): readonly Child[] {
    return this.state.children ?? [];
  }

  /** Whether something of it is, or may be, on the stage. */
  get isWritten(): boolean {
    return (
      Object.values(this.groups).some(({ isWritten, stands }) => isWritten && stands !== 'back') ||
      this.portal.settings !== undefined ||
      this.portal.categories !== undefined
    );
  }

  /** Whether it has, or may have, changed the stage while rolling back. */
  get hasUndone(): boolean {
    return this.input.undoes !== undefined && this.state.target !== 'untouched';
  }

  get verdict(): RunStatus {
    if (this.route.options.planOnly) return 'succeeded';
    if (this.left > 0) return 'partial';
    return this.state.target === 'untouched' ? 'nothing-to-do' : 'succeeded';
  }

  /** Its effect on the stage; only what is recorded counts. */
  get came(): 'promoted' | 'rolled-back' | undefined {
    if (!this.isCommitted) return undefined;
    if (this.input.undoes === undefined && this.failure === undefined) return 'promoted';
    return this.left > 0 ? undefined : 'rolled-back';
  }

  /** The number of its next child run. */
  nextPart(): number {
    this.parts += 1;
    return this.parts;
  }

  /** Records the progress of a group. */
  noteGroup(index: number, progress: GroupProgress): void {
    this.groups = { ...this.groups, [index]: { ...this.groups[index], ...progress } };
  }

  notePortal(progress: PortalProgress): void {
    this.portal = { ...this.portal, ...progress };
  }

  /** Shows a child run. It replaces the group's plan run. */
  note(child: Child): void {
    const isReplaced = ({ runId, name, does }: Child): boolean =>
      runId === child.runId || (name === child.name && does === 'plan');
    this.show({ children: [...this.children.filter((each) => !isReplaced(each)), child] });
  }

  /** The phases that remain for a continued execution. */
  continued(phases: readonly Phase<PromotionRun>[]): readonly Phase<PromotionRun>[] {
    const at = phases.findIndex(({ name }) => name === this.phase);
    return at < 0 ? phases : phases.map((phase, index) => (index > 0 && index < at ? passed(phase) : phase));
  }

  /** Whether it continues a phase that an earlier execution left unfinished. True once. */
  takesUp(phase: string): boolean {
    const takes = this.phase === phase;
    if (takes) this.phase = undefined;
    return takes;
  }

  progressIn(phase: string): Progress {
    const { state, groups, portal, parts, left, failure } = this;
    const { approved: by, yesIsSpent, heard } = this.answers;
    const { ruling, plan, approved, planReading } = this.facts;
    return {
      state,
      facts: { ruling, plan, approved, planReading },
      groups,
      portal,
      parts,
      left,
      failure,
      answers: { approved: by, yesIsSpent, heard },
      phase,
    };
  }

  /** Also cancels its child runs; `now` is passed on to them. */
  override async cancel(cancel: Cancel): Promise<void> {
    if (cancel.now) await Promise.all([...this.underWay].map((each) => each.signal(cancelSignal, cancel)));
    await super.cancel(cancel);
  }
}

/** Skips a phase that an earlier execution completed, unless this one goes back to it. */
function passed(phase: Phase<PromotionRun>): Phase<PromotionRun> {
  let isPassed = false;
  return {
    ...phase,
    run: async (run) => {
      if (isPassed) return await phase.run(run);
      isPassed = true;
      const { detail } = run.state.phases.find(({ name }) => name === phase.name) ?? {};
      return { detail };
    },
  };
}
