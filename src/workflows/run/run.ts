import { CancellationScope, log, setCurrentDetails, upsertSearchAttributes } from '@temporalio/workflow';
import type { PhaseName, RunStatus } from '../../model/run/phase';
import type { ErrorRecord, PhaseRecord } from '../../model/run/run';
import type { AnyInput, Approve, Cancel, Refuse, Supersede } from '../../model/run/run-input';
import type { RunState } from '../../model/run/run-state';
import { addWarning } from '../../model/run/warnings';
import type { RunRoute } from '../../model/transfer/route';
import { saveRecord } from './activity-options';
import { currentDetails } from './current-details';
import type { PortalQueues } from '../portal-queue/portal-queues';
import type { Facts } from './facts';
import type { Origins } from './failure';
import type { Kind, Phase } from './phase';
import { setPhaseAtHand } from './current-phase';
import { outcomeKey, phaseKey } from './search-attributes';
import { identityOf, type Person, type Signed } from '../../model/run/signature';
import { type Heard, nothingHeard } from './signed-answers';
import { actionOf, firstState, now } from './state';
import { Traces } from './portal-work';

/** Decisions of operators and later runs. */
export interface Answers {
  approved?: Approve;
  rejected?: Refuse;
  superseded?: Supersede;
  cancelled?: boolean;
  /** `cancel --now`: do not wait for a running portal job. */
  hurry?: boolean;
  /** A resume is being checked; another must wait. */
  resuming?: boolean;
  /** An accepted resume: the phase to resume with. */
  goOnWith?: PhaseName;
  /** `--yes` approves one plan: a plan that changes later needs a new approval. */
  yesIsSpent: boolean;
  readonly heard: Heard;
}

/** Fields that phases and observers may set; only `Run` itself sets the status. */
export type Shown = Partial<
  Omit<RunState, 'runId' | 'kind' | 'status' | 'phases' | 'parked' | 'error' | 'actions' | 'warnings'>
>;

/** Source and target of any run, and the options if it has a route. */
export type AnyRoute = Origins & Pick<RunState['route'], 'name'> & Partial<Pick<RunRoute, 'options'>>;

/** The parts of a phase that decide when it is shown and saved. */
type PhaseLook = Pick<Phase<Run>, 'name' | 'isQuiet' | 'isBrief' | 'goesOnAs'>;

/** An open run of any kind: its record and facts. */
export class Run {
  /** Its portal queues, if its kind exports or imports. */
  readonly portalQueues?: PortalQueues;
  readonly answers: Answers = { yesIsSpent: false, heard: nothingHeard() };
  /** What it has started on portals. */
  readonly traces = new Traces();
  /** Everything that can be cancelled at once; portal jobs are waited for outside it. */
  readonly scope = new CancellationScope();
  private readonly record: RunState;
  private readonly found: Partial<Facts> = {};
  private walked: readonly Phase<Run>[] = [];
  private patience: CancellationScope | undefined;
  private parkings = 0;
  /** The phase that last waited for a person. */
  private waitedIn: PhaseName | undefined;
  /** The phase in its search attribute. */
  private shownPhase: PhaseName | undefined;
  /** Whether it has waited since the last preflight checks. */
  private waited = false;

  /** @param before the state of the execution it continues */
  constructor(
    readonly kind: Kind<Run>,
    readonly input: AnyInput & { readonly route: RunState['route']; readonly operation?: string },
    readonly before?: RunState,
  ) {
    this.record = before ?? firstState(kind.name, input);
  }

  /** The record as shown to people and programs; set by `show`, `warn`, `act` and the phases. */
  get state(): Readonly<RunState> {
    return this.record;
  }

  /** What phases have found so far. */
  get facts(): Readonly<Partial<Facts>> {
    return this.found;
  }

  /** The portals that errors may come from. */
  get route(): AnyRoute {
    return this.input.route;
  }

  get phases(): readonly Phase<Run>[] {
    return this.walked;
  }

  /** Whether it has waited, however briefly, since the last preflight checks. */
  get hasWaited(): boolean {
    return this.waited;
  }

  waitsForSomebody(): void {
    this.waited = true;
  }

  guardsAsked(): void {
    this.waited = false;
  }

  /** How often it has parked. */
  get parks(): number {
    return this.parkings;
  }

  /** Stores facts; phases use `give`. */
  learn(facts: Partial<Facts>): void {
    Object.assign(this.found, facts);
  }

  show(fields: Shown): void {
    Object.assign(this.record, fields);
  }

  warn(warning: string | undefined): void {
    addWarning(this.record.warnings, warning);
  }

  /** Records a person's action. @param by with its signature, once verified */
  act(by: Signed & Pick<Person, 'who'>, what: string, reason?: string): void {
    this.record.actions.push(actionOf({ who: by.who, identity: identityOf(by) }, what, reason));
  }

  /** A portal job cannot be stopped, so a cancellation waits for it, unless it says `now`. */
  async patiently<T>(work: () => Promise<T>): Promise<T> {
    return await CancellationScope.nonCancellable(async () => {
      const scope = new CancellationScope();
      this.patience = scope;
      if (this.answers.hurry) scope.cancel();
      return await scope.run(work);
    });
  }

  /** Cancels the run; `now` also stops waiting for portal jobs. */
  cancel({ now = false }: Cancel): void | Promise<void> {
    this.answers.cancelled = true;
    if (now) {
      this.answers.hurry = true;
      this.patience?.cancel();
    }
    this.scope.cancel();
  }

  /** Sets the phases to run; a continued execution already has them in its record. */
  begin(phases: readonly Phase<Run>[]): void {
    this.walked = phases;
    if (this.record.phases.length === 0)
      this.record.phases = phases.map(({ name }) => ({ name, status: 'pending', attempts: 0 }));
  }

  enterPhase({ name, isQuiet, goesOnAs }: PhaseLook): PhaseRecord {
    const record = this.phaseRecord(name);
    Object.assign(record, {
      status: 'running',
      startedAt: record.startedAt ?? now(),
      finishedAt: undefined,
      attempts: record.attempts + 1,
    });
    const stands = goesOnAs !== undefined && goesOnAs === this.shownPhase;
    if (!isQuiet && !stands) this.showPhase(name);
    setPhaseAtHand(name);
    this.display();
    this.waitedIn = undefined;
    return record;
  }

  async leavePhase({ name, isQuiet, isBrief }: PhaseLook, end: Partial<PhaseRecord>): Promise<void> {
    Object.assign(this.phaseRecord(name), end, { finishedAt: now() });
    const isLeftOut = isQuiet || (isBrief && end.status === 'done');
    if (!isLeftOut || this.waitedIn === name) await this.save();
    setPhaseAtHand(undefined);
  }

  /** Sets the search attribute of its phase. */
  private showPhase(name: PhaseName): void {
    this.shownPhase = name;
    upsertSearchAttributes([{ key: phaseKey, value: name }]);
  }

  /** Marks a phase as waiting for a person, and shows it. */
  async wait(name: PhaseName, detail: string): Promise<void> {
    Object.assign(this.phaseRecord(name), { status: 'waiting', detail });
    this.record.status = 'waiting';
    this.waitedIn = name;
    this.waitsForSomebody();
    this.showPhase(name);
    await this.save();
  }

  /** Shows which window it waits for, or that it no longer waits. Earlier checks may be out of date afterwards. */
  async awaits(name: PhaseName, window: RunState['window']): Promise<void> {
    this.record.window = window;
    this.phaseRecord(name).detail = window && `waits until ${window.until}: ${window.why}`;
    this.waitsForSomebody();
    await this.save();
  }

  goOn(name: PhaseName): void {
    this.phaseRecord(name).status = 'running';
    this.record.status = 'running';
  }

  /** Marks the phase in which it parked, and sets the search attribute. */
  async park(error: ErrorRecord, parked: Omit<NonNullable<RunState['parked']>, 'count'>): Promise<void> {
    this.parkings += 1;
    this.waitsForSomebody();
    this.record.error = error;
    this.record.parked = { ...parked, count: this.parkings };
    this.answers.goOnWith = undefined;
    this.phaseRecord(parked.phase).status = 'parked';
    this.record.status = 'parked';
    upsertSearchAttributes([{ key: outcomeKey, value: 'parked' }]);
    await this.save();
  }

  /** Counts a refused resume; the run stays parked. */
  async refuseResume(): Promise<void> {
    const { parked } = this.record;
    if (parked) this.record.parked = { ...parked, refusals: parked.refusals + 1 };
    // A resumed run saves its record itself; a second save at the same time could leave the older one.
    await this.save();
  }

  /** A resumed run repeats its phases from this one on. */
  async goBackTo(name: PhaseName): Promise<void> {
    const { phases } = this.record;
    for (const phase of phases.slice(phases.findIndex((each) => each.name === name)))
      Object.assign(phase, {
        status: 'pending',
        startedAt: undefined,
        finishedAt: undefined,
        detail: undefined,
      });
    this.record.error = undefined;
    this.endParking();
    upsertSearchAttributes([{ key: outcomeKey, value: 'running' }]);
    await this.save();
  }

  /** Ends parking, whatever the decision. */
  endParking(): void {
    const { parked } = this.record;
    if (!parked) return;
    const record = this.phaseRecord(parked.phase);
    if (record.status === 'parked') record.status = 'failed';
    this.record.parked = undefined;
    this.record.status = 'running';
  }

  fail(error: ErrorRecord): void {
    this.record.error = error;
  }

  /**
   * Saves the record. If the store is unavailable, the run continues and the next phase saves it again.
   * @param isLast nothing is done for the run after this
   */
  async save(isLast = false): Promise<void> {
    this.display();
    try {
      await CancellationScope.nonCancellable(() => saveRecord(this.record, isLast));
    } catch (error) {
      log.warn('the run record could not be written', { error });
      this.warn('the run record could not be saved after some phases');
    }
  }

  /** Sets the outcome and saves it. */
  async close(status: RunStatus): Promise<RunState> {
    this.record.status = status;
    this.record.finishedAt = now();
    for (const phase of this.record.phases) if (phase.status === 'pending') phase.status = 'skipped';
    upsertSearchAttributes([{ key: outcomeKey, value: status }]);
    await this.save();
    return this.record;
  }

  private display(): void {
    setCurrentDetails(currentDetails(this.record));
  }

  private phaseRecord(name: PhaseName): PhaseRecord {
    const found = this.record.phases.find((phase) => phase.name === name);
    if (!found) throw new TypeError(`unknown phase ${name}`);
    return found;
  }
}
