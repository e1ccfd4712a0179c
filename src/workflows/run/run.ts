import {
  CancellationScope,
  isCancellation,
  log,
  patched,
  setCurrentDetails,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow';
import type { PhaseName } from '../../model/run/phase';
import { phasesOf } from '../../model/run/phase';
import type { PhaseRecord, RunKind } from '../../model/run/run';
import type { RunState } from '../../model/run/run-state';
import { saveRecord } from './calls';
import type { RunContext } from './context';
import { errorRecordOf, refusal } from './failure';
import type { Approve, Refuse, RunInput, Supersede } from '../../model/run/run-input';
import type { Route, RouteEnd, RunRoute } from '../../model/transfer/route';
import { currentDetails } from './current-details';
import { actionOf, firstState, now } from './first-state';
import { mayPark, park } from './parking';
import { outcomeKey, phaseKey } from './search-attributes';

/** How a phase ended; what the walk does next depends on it. */
export interface PhaseEnd {
  /** One line for people. */
  readonly detail?: string;
  /** `failed` where the run goes on all the same. @default 'done' */
  readonly status?: 'done' | 'skipped' | 'failed';
  readonly attempts?: number;
  /** `end`: nothing is left to do. A phase's name: go back to it. @default the next phase */
  readonly then?: 'end' | PhaseName;
}

/** A step of a run: its name, and what it does with what earlier ones have found. */
export interface Phase {
  readonly name: PhaseName;
  readonly run: (run: Run) => Promise<PhaseEnd>;
  /** It makes no call of its own: where nobody is waited for, its record is written with the next phase's. */
  readonly isQuiet?: boolean;
}

/** What operators, and later runs, have answered. */
export interface Answers {
  approved?: Approve;
  rejected?: Refuse;
  /** `cancel --now`: a job that runs on a portal is not waited for. */
  hurry?: boolean;
  superseded?: Supersede;
  /** A resume is being checked; another one has to wait. */
  resuming?: boolean;
  /** A checked resume: the phase to go on with. */
  goOnWith?: PhaseName;
  /** `--yes` is one yes: a plan that changed afterwards needs another. */
  yesIsSpent: boolean;
}

/** A run while it walks through its phases: its state for people, and what its phases hand on to each other. */
export class Run {
  readonly state: RunState;
  readonly context: RunContext = {
    planReading: 0,
    importRound: 1,
    importsBegun: 0,
    importPosted: false,
    packages: [],
    openJobs: [],
    parks: 0,
    wrote: { source: false, target: false },
  };
  readonly answers: Answers = { yesIsSpent: false };
  /** Everything that may be given up at once; a portal's job is waited for outside of it. */
  readonly scope = new CancellationScope();
  /** Gates at which the run stands, in line or in, by portal and direction; and those that have let it in. */
  readonly asked = new Map<string, string>();
  readonly granted = new Set<string>();
  /** Runs that began before there were gates and parked runs go on without. */
  readonly operators = patched('operators');
  /** As the run was started, with what a resume has corrected. */
  route: RunRoute;
  private patience: CancellationScope | undefined;
  /** The phase that runs, where somebody was waited for in it. */
  private waitedAt: PhaseName | undefined;

  constructor(
    kind: Exclude<RunKind, 'bisect'>,
    readonly input: RunInput,
  ) {
    this.route = input.route;
    this.state = {
      ...firstState(kind, input),
      phases: phasesOf[kind].map((name) => ({ name, status: 'pending', attempts: 0 })),
    };
  }

  get transferQueue(): string {
    return `${workflowInfo().taskQueue}-transfer`;
  }

  /** The route of a run that goes somewhere. */
  get ends(): Route {
    const { target } = this.route;
    if (!target) throw refusal('INTERNAL', 'a backup has no target');
    return { ...this.route, target };
  }

  /** One end of it. */
  end(side: 'source' | 'target'): RouteEnd {
    return side === 'source' ? this.route.source : this.ends.target;
  }

  warn(warning: string | undefined): void {
    if (warning && !this.state.warnings.includes(warning)) this.state.warnings.push(warning);
  }

  /** Notes a package of ours that is on a portal, and goes in the cleanup. */
  holds(side: 'source' | 'target', itemId: string): void {
    const { packages } = this.context;
    if (!packages.some((each) => each.itemId === itemId && each.side === side))
      packages.push({ side, itemId });
  }

  act(who: string, what: string, reason?: string): void {
    this.state.actions.push(actionOf(who, what, reason));
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
  cancel(now: boolean): void {
    if (now) {
      this.answers.hurry = true;
      this.patience?.cancel();
    }
    this.scope.cancel();
  }

  /** Walks the phases in their order until one says that nothing is left to do. */
  async walk(phases: readonly Phase[]): Promise<void> {
    let next: number | undefined = 0;
    while (next !== undefined && next < phases.length) {
      const phase: Phase = phases[next] as Phase;
      const { then } = await this.stepOrPark(phase);
      next = then === 'end' ? undefined : then ? phases.findIndex((each) => each.name === then) : next + 1;
    }
  }

  /** A phase that fails where a person can help waits for one, and says with which phase to go on. */
  private async stepOrPark(phase: Phase): Promise<PhaseEnd> {
    try {
      return await this.step(phase);
    } catch (thrown) {
      if (!mayPark(this, thrown)) throw thrown;
      return { then: await park(this, phase.name, thrown) };
    }
  }

  /** One phase: its record, its search attribute, and the run's record in the store at its end. */
  async step(phase: Phase): Promise<PhaseEnd> {
    const record = this.record(phase.name);
    Object.assign(record, {
      status: 'running',
      startedAt: record.startedAt ?? now(),
      finishedAt: undefined,
      attempts: record.attempts + 1,
    });
    const isQuiet = this.operators && phase.isQuiet;
    if (!isQuiet) upsertSearchAttributes([{ key: phaseKey, value: phase.name }]);
    this.show();
    this.waitedAt = undefined;
    try {
      const end = await phase.run(this);
      Object.assign(record, {
        status: end.status ?? 'done',
        detail: end.detail ?? record.detail,
        attempts: end.attempts ?? record.attempts,
      });
      return end;
    } catch (thrown) {
      record.status = 'failed';
      record.detail = isCancellation(thrown) ? 'cancelled' : errorRecordOf(thrown, this.route).message;
      throw thrown;
    } finally {
      record.finishedAt = now();
      if (!isQuiet || this.waitedAt === phase.name) await this.save();
    }
  }

  /** Marks a phase that waits for a person, and shows it outside. */
  async wait(name: PhaseName, detail: string): Promise<void> {
    Object.assign(this.record(name), { status: 'waiting', detail });
    this.state.status = 'waiting';
    this.waitedAt = name;
    if (this.operators) upsertSearchAttributes([{ key: phaseKey, value: name }]);
    await this.save();
  }

  /** Marks a phase at which the run is parked, and lets it be found by that. */
  async parkAt(name: PhaseName): Promise<void> {
    this.record(name).status = 'parked';
    this.state.status = 'parked';
    upsertSearchAttributes([{ key: outcomeKey, value: 'parked' }]);
    await this.save();
  }

  /** A resumed run redoes its phases from this one on. */
  async goBackTo(name: PhaseName): Promise<void> {
    const { phases } = this.state;
    for (const phase of phases.slice(phases.findIndex((each) => each.name === name)))
      Object.assign(phase, {
        status: 'pending',
        startedAt: undefined,
        finishedAt: undefined,
        detail: undefined,
      });
    this.endParking();
    upsertSearchAttributes([{ key: outcomeKey, value: 'running' }]);
    await this.save();
  }

  /** However it was answered, the run is no longer parked. */
  endParking(): void {
    if (!this.state.parked) return;
    const record = this.record(this.state.parked.phase);
    if (record.status === 'parked') record.status = 'failed';
    this.state.parked = undefined;
    this.state.status = 'running';
  }

  goOn(name: PhaseName): void {
    this.record(name).status = 'running';
    this.state.status = 'running';
  }

  /** Writes the record. A store that cannot take it now must not end the run: the next phase writes it again. */
  async save(): Promise<void> {
    this.show();
    try {
      await CancellationScope.nonCancellable(() => saveRecord(this.state));
    } catch (error) {
      log.warn('the run record could not be written', { error });
      this.warn('the run record could not be written to the store at some phase');
    }
  }

  /** Everything that is over: sets the outcome and writes the last record. */
  async close(status: RunState['status']): Promise<RunState> {
    this.state.status = status;
    this.state.finishedAt = now();
    for (const phase of this.state.phases) if (phase.status === 'pending') phase.status = 'skipped';
    upsertSearchAttributes([{ key: outcomeKey, value: status }]);
    await this.save();
    return this.state;
  }

  private show(): void {
    setCurrentDetails(currentDetails(this.state));
  }

  private record(name: PhaseName): PhaseRecord {
    const found = this.state.phases.find((phase) => phase.name === name);
    if (!found) throw new TypeError(`no phase ${name}`);
    return found;
  }
}
