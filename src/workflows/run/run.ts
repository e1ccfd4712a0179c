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
import { actionOf, firstState, now } from './state';
import { Traces } from './portal-work';

/** What operators, and later runs, have answered. */
export interface Answers {
  approved?: Approve;
  rejected?: Refuse;
  superseded?: Supersede;
  cancelled?: boolean;
  /** `cancel --now`: a job that runs on a portal is not waited for. */
  hurry?: boolean;
  /** A resume is being checked; another one has to wait. */
  resuming?: boolean;
  /** A checked resume: the phase to go on with. */
  goOnWith?: PhaseName;
  /** `--yes` is one yes: a plan that changed afterwards needs another. */
  yesIsSpent: boolean;
}

/** Fields of the record that phases and observers fill; how the run stands is written by the walk alone. */
export type Shown = Partial<
  Omit<RunState, 'runId' | 'kind' | 'status' | 'phases' | 'parked' | 'error' | 'actions' | 'warnings'>
>;

/** The ends of a run of any kind, and the options of one that has a route. */
export type AnyRoute = Origins & Pick<RunState['route'], 'name'> & Partial<Pick<RunRoute, 'options'>>;

/** What of a phase decides when it shows outside. */
type PhaseLook = Pick<Phase<Run>, 'name' | 'isQuiet' | 'isBrief' | 'goesOnAs'>;

/** A run of any kind while it goes on: its record, and what its phases have found out. */
export class Run {
  /** Its portal queues, if it is of a kind that exports or imports. */
  readonly portalQueues?: PortalQueues;
  readonly answers: Answers = { yesIsSpent: false };
  /** What it has begun on portals. */
  readonly traces = new Traces();
  /** Everything that may be given up at once; a portal's job is waited for outside of it. */
  readonly scope = new CancellationScope();
  private readonly record: RunState;
  private readonly found: Partial<Facts> = {};
  private walked: readonly Phase<Run>[] = [];
  private patience: CancellationScope | undefined;
  private parkings = 0;
  /** The phase in which somebody was waited for last. */
  private waitedIn: PhaseName | undefined;
  /** The phase by which it can be found. */
  private shownPhase: PhaseName | undefined;
  /** Somebody was waited for since the guards were asked last. */
  private waited = false;

  /** @param before the state of an execution that this one continues */
  constructor(
    readonly kind: Kind<Run>,
    readonly input: AnyInput & { readonly route: RunState['route']; readonly operation?: string },
    readonly before?: RunState,
  ) {
    this.record = before ?? firstState(kind.name, input);
  }

  /** The record as people and programs see it; it is filled by `show`, `warn`, `act` and the walk. */
  get state(): Readonly<RunState> {
    return this.record;
  }

  /** What phases have found out so far. */
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

  /** Whether somebody was waited for, at whatever length, since the guards were asked last. */
  get hasWaited(): boolean {
    return this.waited;
  }

  waitsForSomebody(): void {
    this.waited = true;
  }

  guardsAsked(): void {
    this.waited = false;
  }

  /** How often it was parked. */
  get parks(): number {
    return this.parkings;
  }

  /** What a phase has found out; called for it by its contract. */
  learn(facts: Partial<Facts>): void {
    Object.assign(this.found, facts);
  }

  show(fields: Shown): void {
    Object.assign(this.record, fields);
  }

  warn(warning: string | undefined): void {
    addWarning(this.record.warnings, warning);
  }

  /** Notes what somebody did. @param by with the proof of what they sent, once it was verified */
  act(by: Signed & Pick<Person, 'who'>, what: string, reason?: string): void {
    this.record.actions.push(actionOf({ who: by.who, identity: identityOf(by) }, what, reason));
  }

  /** What a portal does cannot be called back: a cancellation waits for it, unless somebody is in a hurry. */
  async patiently<T>(work: () => Promise<T>): Promise<T> {
    return await CancellationScope.nonCancellable(async () => {
      const scope = new CancellationScope();
      this.patience = scope;
      if (this.answers.hurry) scope.cancel();
      return await scope.run(work);
    });
  }

  /** Ends the run; `now` also ends the waiting for a portal's job. */
  cancel({ now = false }: Cancel): void | Promise<void> {
    this.answers.cancelled = true;
    if (now) {
      this.answers.hurry = true;
      this.patience?.cancel();
    }
    this.scope.cancel();
  }

  /** The phases that it will walk; one that continues an earlier execution has them in its record. */
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

  /** Has it be found by the phase that it is at. */
  private showPhase(name: PhaseName): void {
    this.shownPhase = name;
    upsertSearchAttributes([{ key: phaseKey, value: name }]);
  }

  /** Marks a phase that waits for a person, and shows it outside. */
  async wait(name: PhaseName, detail: string): Promise<void> {
    Object.assign(this.phaseRecord(name), { status: 'waiting', detail });
    this.record.status = 'waiting';
    this.waitedIn = name;
    this.waitsForSomebody();
    this.showPhase(name);
    await this.save();
  }

  /** Shows outside for which window it waits, or that it waits no more. What was found out before may be out of date then. */
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

  /** Marks the phase at which it is parked, and lets it be found by that. */
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

  /** A resume that was refused leaves it parked, and says so. */
  async refuseResume(): Promise<void> {
    const { parked } = this.record;
    if (parked) this.record.parked = { ...parked, refusals: parked.refusals + 1 };
    // A run that goes on writes its record itself: two writes side by side would leave it to chance which one stays.
    await this.save();
  }

  /** A resumed run redoes its phases from this one on. */
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

  /** However it was answered, the run is no longer parked. */
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
   * Writes the record. A store that cannot take it now must not end the run: the next phase writes it again.
   * @param isLast nothing is done for the run any more
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

  /** Everything that is over: sets the outcome and writes it down. */
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
