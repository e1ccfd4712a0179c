import {
  CancellationScope,
  type ChildWorkflowHandle,
  isCancellation,
  log,
  setCurrentDetails,
  upsertSearchAttributes,
  type Workflow,
  workflowInfo,
} from '@temporalio/workflow';
import type { PhaseName, RunStatus } from '../../model/run/phase';
import type { ErrorRecord, PhaseRecord } from '../../model/run/run';
import { type AnyInput, type Cancel, messageNames } from '../../model/run/run-input';
import { type RunState, addWarning } from '../../model/run/run-state';
import type { RunRoute } from '../../model/transfer/route';
import { saveRecord } from './activity-options';
import {
  currentDetails,
  setPhaseAtHand,
  outcomeKey,
  phaseKey,
  actionOf,
  executionOf,
  firstState,
  now,
} from './state';
import { RunSlots } from '../portal-queue/run-slots';
import { type Facts, requireFact, type Answers, firstMemory, type Memory, type Work } from './memory';
import { errorRecordOf, type Origins } from './failure';
import type { Kind, Phase, PhaseEnd } from './phase';
import { identityOf, type Person, type Signed } from '../../model/run/signature';

/** Fields that phases and observers may set; only `Run` itself sets the status. */
type Shown = Partial<
  Omit<RunState, 'runId' | 'kind' | 'status' | 'phases' | 'parked' | 'error' | 'actions' | 'warnings'>
>;

/** What any run starts with: source and target, and the options if it has a route. */
export type RunStart = AnyInput & {
  readonly route: Origins & RunState['route'] & Partial<Pick<RunRoute, 'options'>>;
  readonly operation?: string;
};

export type Child = NonNullable<RunState['children']>[number];

/** An open run of any kind: its input, and what only its kind needs. */
export class Run<Input extends RunStart = RunStart, Own = unknown> {
  /** Its input as signed, by which its next execution is admitted. */
  signed: Signed = {};
  readonly memory: Memory<Own>;
  /** Whether an earlier execution began it. */
  readonly isContinued: boolean;
  /** Whether an earlier execution left the current phase halfway. */
  isHalfway = false;
  readonly portalQueues: RunSlots;
  /** Everything that can be cancelled at once; portal jobs are waited for outside it. */
  readonly scope = new CancellationScope();
  /** Its open child runs. */
  readonly underWay = new Set<ChildWorkflowHandle<Workflow>>();
  private walked: readonly Phase<Run>[] = [];
  private jobScope: CancellationScope | undefined;
  /** The phase that last waited for a person. */
  private waitedIn: PhaseName | undefined;

  /** @param memory of the execution it continues */
  constructor(
    readonly kind: Kind<Run>,
    readonly input: Input,
    memory?: Memory,
  ) {
    this.isContinued = memory !== undefined;
    this.memory = (memory ?? firstMemory(firstState(kind.name, input), kind.first?.(input))) as Memory<Own>;
    this.show({ temporal: executionOf(input) });
    this.portalQueues = new RunSlots(this);
  }

  /** The record as shown to people and programs; set by `show`, `warn`, `act` and the phases. */
  get state(): Readonly<RunState> {
    return this.memory.state;
  }

  /** What phases have found so far. */
  get facts(): Readonly<Partial<Facts>> {
    return this.memory.facts;
  }

  get work(): Work {
    return this.memory.work;
  }

  get children(): Child[] {
    return this.state.children ?? [];
  }

  /** How many items its child runs are about. */
  get itemCount(): number {
    return this.children.reduce((sum, { items }) => sum + items, 0);
  }

  get answers(): Answers {
    return this.memory.answers;
  }

  /** What only its kind needs. */
  get own(): Own {
    return this.memory.own;
  }

  /** The portals that errors may come from. */
  get route(): Input['route'] {
    return this.input.route;
  }

  get phases(): readonly Phase<Run>[] {
    return this.walked;
  }

  /** Whether it was cancelled, so that it begins nothing more. */
  get isCancelled(): boolean {
    return this.answers.cancelled === true || this.scope.consideredCancelled;
  }

  /** A fact that an earlier phase must have found. */
  need<K extends keyof Facts>(name: K): Facts[K] {
    return requireFact<Partial<Facts>, K>(this.facts, name);
  }

  /** Keeps facts for later phases, even if the current one then fails. `undefined` removes one. */
  learn(facts: Partial<Facts>): void {
    Object.assign(this.memory.facts, facts);
  }

  show(fields: Shown): void {
    Object.assign(this.memory.state, fields);
  }

  warn(warning: string | undefined): void {
    addWarning(this.memory.state.warnings, warning);
  }

  /**
   * Does work whose failure must not fail the run: it becomes a warning, and the end of the phase.
   * @param failed what then went wrong, for people
   */
  async attempt(failed: string, work: () => Promise<PhaseEnd | void>): Promise<PhaseEnd> {
    try {
      return (await work()) ?? {};
    } catch (error) {
      if (isCancellation(error)) throw error;
      const { message } = errorRecordOf(error, this.route);
      log.warn(failed, { error });
      this.warn(`${failed}: ${message}`);
      return { status: 'failed', detail: message };
    }
  }

  /** Shows a child run. One that only planned gives way to the one that imports. */
  noteChild(child: Child): void {
    const { children } = this;
    const at = children.findIndex(
      ({ runId, name, does }) => runId === child.runId || (does === 'plan' && name === child.name),
    );
    this.show({ children: at < 0 ? [...children, child] : children.with(at, child) });
  }

  /** Records a person's action. @param by with its signature, once verified */
  recordAction(by: Signed & Pick<Person, 'who'>, what: string, reason?: string): void {
    this.memory.state.actions.push(actionOf({ who: by.who, identity: identityOf(by) }, what, reason));
  }

  /** A portal job cannot be stopped, so a cancellation waits for it, unless it says `now`. */
  async untilJobEnds<T>(work: () => Promise<T>): Promise<T> {
    return await CancellationScope.nonCancellable(async () => {
      const scope = new CancellationScope();
      this.jobScope = scope;
      if (this.answers.hurry) scope.cancel();
      return await scope.run(work);
    });
  }

  /** Cancels the run and its child runs; `now` also stops waiting for portal jobs. */
  async cancel(cancel: Cancel): Promise<void> {
    this.answers.cancelled = true;
    if (cancel.now) {
      this.answers.hurry = true;
      this.jobScope?.cancel();
      // One that has just ended takes no signal.
      await Promise.allSettled([...this.underWay].map((part) => part.signal(messageNames.cancel, cancel)));
    }
    if (!this.kind.endsParts) this.scope.cancel();
  }

  /** Sets the phases to run; a continued run already has them in its record. */
  begin(phases: readonly Phase<Run>[]): void {
    this.walked = phases;
    if (this.memory.state.phases.length === 0)
      this.memory.state.phases = phases.map(({ name }) => ({ name, status: 'pending', attempts: 0 }));
  }

  enterPhase(phase: Phase<Run>): PhaseRecord {
    const { name, goesOnAs } = phase;
    const record = this.phaseRecord(name);
    this.isHalfway = record.status === 'running';
    Object.assign(record, {
      status: 'running',
      startedAt: record.startedAt ?? now(),
      finishedAt: undefined,
      attempts: record.attempts + (this.isHalfway ? 0 : 1),
    });
    const shown = workflowInfo().typedSearchAttributes.get(phaseKey);
    const stands = this.isHalfway || (goesOnAs !== undefined && goesOnAs === shown);
    if (!phase.isQuiet?.(this) && !stands) this.showPhase(name);
    setPhaseAtHand(name);
    this.display();
    this.waitedIn = undefined;
    return record;
  }

  async leavePhase(phase: Phase<Run>, end: Partial<PhaseRecord>): Promise<void> {
    const { name, isBrief } = phase;
    Object.assign(this.phaseRecord(name), end, { finishedAt: now() });
    const isLeftOut = phase.isQuiet?.(this) || (isBrief && end.status === 'done');
    if (!isLeftOut || this.waitedIn === name) await this.save();
    setPhaseAtHand(undefined);
  }

  /** Sets the search attribute of its phase. */
  private showPhase(name: PhaseName): void {
    upsertSearchAttributes([{ key: phaseKey, value: name }]);
  }

  /** Marks a phase as waiting for a person, and shows it. */
  async markWaiting(name: PhaseName, detail: string): Promise<void> {
    Object.assign(this.phaseRecord(name), { status: 'waiting', detail });
    this.memory.state.status = 'waiting';
    this.waitedIn = name;
    this.memory.hasWaited = true;
    this.showPhase(name);
    await this.save();
  }

  /** Shows which window it waits for, or that it no longer waits. Earlier checks may be out of date afterwards. */
  async setWindow(name: PhaseName, window: RunState['window']): Promise<void> {
    this.memory.state.window = window;
    this.phaseRecord(name).detail = window && `waits until ${window.until}: ${window.why}`;
    this.memory.hasWaited = true;
    await this.save();
  }

  markRunning(name: PhaseName): void {
    this.phaseRecord(name).status = 'running';
    this.memory.state.status = 'running';
  }

  /** Marks the phase in which it parked, and sets the search attribute. */
  async markParked(
    error: ErrorRecord,
    parked: Omit<NonNullable<RunState['parked']>, 'count'>,
  ): Promise<void> {
    this.memory.parks += 1;
    this.memory.hasWaited = true;
    this.memory.state.error = error;
    this.memory.state.parked = { ...parked, count: this.memory.parks };
    this.answers.goOnWith = undefined;
    this.phaseRecord(parked.phase).status = 'parked';
    this.memory.state.status = 'parked';
    upsertSearchAttributes([{ key: outcomeKey, value: 'parked' }]);
    await this.save();
  }

  /** Counts a refused resume; the run stays parked. */
  async refuseResume(): Promise<void> {
    const { parked } = this.memory.state;
    // A run that goes on saves its record itself; a second save at the same time could leave the older one.
    if (!parked) return;
    this.memory.state.parked = { ...parked, refusals: parked.refusals + 1 };
    await this.save();
  }

  /** A resumed run repeats its phases from this one on. */
  async goBackTo(name: PhaseName): Promise<void> {
    const { phases } = this.memory.state;
    for (const phase of phases.slice(phases.indexOf(this.phaseRecord(name))))
      Object.assign(phase, {
        status: 'pending',
        startedAt: undefined,
        finishedAt: undefined,
        detail: undefined,
      });
    this.memory.state.error = undefined;
    this.endParking();
    upsertSearchAttributes([{ key: outcomeKey, value: 'running' }]);
    await this.save();
  }

  /** Ends parking, whatever the decision. */
  endParking(): void {
    const { parked } = this.memory.state;
    if (!parked) return;
    const record = this.phaseRecord(parked.phase);
    if (record.status === 'parked') record.status = 'failed';
    this.memory.state.parked = undefined;
    this.memory.state.status = 'running';
  }

  fail(error: ErrorRecord): void {
    this.memory.state.error = error;
  }

  /**
   * Saves the record. If the store is unavailable, the run continues and the next phase saves it again.
   * @param isLast nothing is done for the run after this
   */
  async save(isLast = false): Promise<void> {
    this.display();
    try {
      await CancellationScope.nonCancellable(() => saveRecord(this.memory.state, isLast));
    } catch (error) {
      log.warn('the run record could not be written', { error });
      this.warn('the run record could not be saved after some phases');
    }
  }

  /** Sets the outcome and saves it. */
  async close(status: RunStatus): Promise<RunState> {
    this.memory.state.status = status;
    this.memory.state.finishedAt = now();
    for (const phase of this.memory.state.phases) if (phase.status === 'pending') phase.status = 'skipped';
    upsertSearchAttributes([{ key: outcomeKey, value: status }]);
    await this.save();
    return this.memory.state;
  }

  private display(): void {
    setCurrentDetails(currentDetails(this.memory.state));
  }

  private phaseRecord(name: PhaseName): PhaseRecord {
    const found = this.memory.state.phases.find((phase) => phase.name === name);
    if (!found) throw new TypeError(`unknown phase ${name}`);
    return found;
  }
}
