import type { PhaseName, RunStatus } from '../../model/run/phase';
import type { ErrorRecord, RunKind } from '../../model/run/run';
import type { Resume } from '../../model/run/run-input';
import { type FactName, type Facts, known } from './facts';
import type { Side } from './portal-work';

/** How a phase ended; what the walk does next depends on it. */
export interface PhaseEnd {
  /** One line for people. */
  readonly detail?: string;
  /** `failed` where the run goes on all the same. @default 'done' */
  readonly status?: 'done' | 'skipped' | 'failed';
  readonly attempts?: number;
  /** `end`: nothing is left to do. A phase's name: go back to it. @default the next phase */
  readonly then?: 'end' | PhaseName;
  /** The run ends with it, though nothing was thrown. */
  readonly error?: ErrorRecord;
}

/** A step of a run, as the walk sees it; `R` is what it asks of a run. */
export interface Phase<R> {
  readonly name: PhaseName;
  run(run: R): Promise<PhaseEnd>;
  /** The phase with which a run that was parked here goes on, by the code with which it parked. @default this one */
  resumesWith?(run: R, code: string): PhaseName;
  /** It makes no call of its own: where nobody is waited for, its record is written with the next phase's. */
  readonly isQuiet?: boolean;
  /** It only begins what the next phase waits for, whose record is written with its own. */
  readonly isBrief?: boolean;
  /** The phase before it, whose name goes on standing in Temporal's index: each change of that is billed by Temporal Cloud. */
  readonly goesOnAs?: PhaseName;
}

/** What a phase is made of: what it needs of earlier ones, what it gives to later ones, and what it does. */
export interface PhaseContract<R, Needs extends FactName, Gives extends FactName> extends Omit<
  Phase<R>,
  'run'
> {
  /** Facts that earlier phases must have found. @default none */
  readonly needs?: readonly Needs[];
  /** Facts that it may find out. @default none */
  readonly gives?: readonly Gives[];
  /**
   * @param found what it needs
   * @param give hands a fact on at once, so that it is known also where the phase fails afterwards
   */
  run(run: R, found: Pick<Facts, Needs>, give: Give<Gives>): Promise<PhaseEnd>;
}

/** Hands facts on; `undefined` takes one back. */
export type Give<Gives extends FactName> = (facts: { readonly [K in Gives]?: Facts[K] | undefined }) => void;

/** Whatever keeps facts: a run. */
interface Learning {
  readonly facts: Readonly<Partial<Facts>>;
  learn(facts: Partial<Facts>): void;
}

/** Makes a phase of its contract. One that needs what nobody found ends the run before it has done anything. */
export function phase<
  R extends Learning,
  const Needs extends FactName = never,
  const Gives extends FactName = never,
>({ needs = [], gives: _, run: work, ...rest }: PhaseContract<R, Needs, Gives>): Phase<R> {
  return {
    ...rest,
    run: (run) => {
      const found = Object.fromEntries(needs.map((name) => [name, known(run.facts, name)]));
      return work(run, found as Pick<Facts, Needs>, (facts) => run.learn(facts));
    },
  };
}

/** What all runs of a kind have in common, besides their phases. */
export interface Kind<R> {
  readonly name: RunKind;
  /** Portals that it works with: a restore only remembers where its snapshot came from. @default none */
  readonly sides?: readonly Side[];
  /** Whether a run that cannot go on waits for a person, who can resume it. @default false */
  readonly parks?: boolean;
  /** Whether it can be bound to a task of a portal. @default false */
  readonly bindsTask?: boolean;
  /** Whether people are notified of what becomes of it. @default false */
  readonly notifies?: boolean;
  /** Whether a later run may take it up with its package, and its end is where the next one begins. @default false */
  readonly isTakenUp?: boolean;
  /** Whether it undoes another run: what it writes is to stand as the snapshot says that it brings. @default false */
  readonly undoes?: boolean;
  /**
   * Whether it shows that something could be imported, and removes at once what it did import: where it imported
   * nothing there is nothing to account for. @default false
   */
  readonly isTrial?: boolean;
  /** The phase that is walked however the run ended. @default none */
  readonly last?: Phase<R>;
  /** What it came to where nothing failed. */
  verdict(run: R): RunStatus;
  /** What has come of it besides its end, once it is over: a release stands in its stage, or something is as it was. */
  came?(run: R): 'promoted' | 'rolled-back' | undefined;
  /** Once nothing goes on any more: closes what is open, before `last`. It runs however the run ended. */
  settle?(run: R, thrown: unknown): Promise<void>;
  /** What a person wants to know of a run that parks, and what is kept meanwhile, a line each. */
  look?(run: R, error: ErrorRecord): Promise<{ readonly evidence: string[]; readonly held: string[] }>;
  /** What can be typed of a run that parks, before its resume. @default nothing */
  suggests?(run: R): string[];
  /** What a resume from a phase on does not make again, a line each. */
  reuses?(run: R, from: PhaseName): string[];
  /** Looks at the facts anew, with what a person corrects. Throws what they refuse. */
  takeUp?(run: R, resume: Resume): Promise<TakenUp>;
  /** Before the run parks, and when it goes on. */
  rest?(run: R): Promise<void>;
}

/** A resume that may be: with which phase it goes on, and what it changes once nothing stands against it. */
export interface TakenUp {
  readonly phase: PhaseName;
  accept(): void;
}
