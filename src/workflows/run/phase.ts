import type { PhaseName, RunStatus } from '../../model/run/phase';
import type { ErrorRecord, RouteChange, RunKind } from '../../model/run/run';
import type { Side } from '../../model/transfer/guard-steps';
import { watching } from './activity-options';

/** How a phase ended, which decides what runs next. */
export interface PhaseEnd {
  /** One line for people. */
  readonly detail?: string;
  /** `failed` if the run continues nevertheless. @default 'done' */
  readonly status?: 'done' | 'skipped' | 'failed';
  /** `end`: nothing is left to do. A phase's name: go back to it. @default the next phase */
  readonly then?: 'end' | PhaseName;
  /** The run ends with this error, although nothing was thrown. */
  readonly error?: ErrorRecord;
}

/** A step of a run of type `R`. */
export interface Phase<R> {
  readonly name: PhaseName;
  run(run: R): Promise<PhaseEnd>;
  /** The phase that a run parked here resumes with, by its error code. @default this one */
  resumesWith?(run: R, code: string): PhaseName;
  /** It runs no activity: unless someone is waited for, it is neither shown nor saved before the next phase. */
  isQuiet?(run: R): boolean;
  /** It only starts what the next phase waits for; its record is saved with that one's. */
  readonly isBrief?: boolean;
  /** The preceding phase whose search attribute value stays, because Temporal Cloud bills each change. */
  readonly goesOnAs?: PhaseName;
}

/** Skips phases of which `why` says why the run does not need them. */
export const unless = <R>(why: (run: R) => string | undefined, phases: readonly Phase<R>[]): Phase<R>[] =>
  phases.map((phase) => ({
    ...phase,
    async run(run) {
      const detail = why(run);
      return detail === undefined ? await phase.run(run) : { status: 'skipped', detail };
    },
  }));

/** A backup takes minutes, and what changed during it is saved soon after. @format milliseconds */
const FIRST_LOOK_MS = 2_000;

/** Waits until another run has ended. It may have read a group before that changed. */
export const afterRun = (after: string | undefined): Phase<unknown>[] =>
  after === undefined
    ? []
    : [
        {
          name: 'wait-run',
          async run() {
            await watching(`whether ${after} is still open`).watchRun({
              runId: after,
              firstMs: FIRST_LOOK_MS,
            });
            return { detail: `${after} has ended` };
          },
        },
      ];

/** What all runs of a kind share, besides their phases. */
export interface Kind<R extends { readonly input: unknown; readonly own: unknown }> {
  readonly name: RunKind;
  /** Portals it works with. A restore does not contact the one its snapshot came from. @default none */
  readonly sides?: readonly Side[];
  /** Whether a run that cannot continue parks, so that a person can resume it. @default false */
  readonly parks?: boolean;
  /** Whether it may stay open for weeks, and so follows the current worker version. @default false */
  readonly followsVersion?: boolean;
  /** Whether it can report to a portal task. @default false */
  readonly bindsTask?: boolean;
  /** Whether it sends notifications. @default false */
  readonly notifies?: boolean;
  /** Whether a later run may reuse its package, and its results serve the next run. @default false */
  readonly isReusable?: boolean;
  /** Whether it rolls back another run, and so restores items as in the snapshot. @default false */
  readonly undoes?: boolean;
  /**
   * Whether it only tests an import and then deletes what it imported. Without an import it has no results to record.
   * @default false
   */
  readonly isTrial?: boolean;
  /** The phase that runs last, however the run ended. @default none */
  readonly last?: Phase<R>;
  /** Whether a cancelled run lets its open child run end. @default false */
  readonly endsParts?: boolean;
  /** What only its kind needs, at first. @default nothing */
  first?(input: R['input']): R['own'];
  /** The outcome if nothing failed. */
  verdict(run: R): RunStatus;
  /** Its effect, once it has ended: a stage has a new release, or something was rolled back. */
  effectOf?(run: R): 'promoted' | 'rolled-back' | undefined;
  /** Settles open jobs and results before `last`, however the run ended. */
  settle?(run: R, thrown: unknown): Promise<void>;
  /** What a person should know about a parked run, and what is kept meanwhile, one line each. */
  describeParked?(
    run: R,
    error: ErrorRecord,
  ): Promise<{ readonly evidence: string[]; readonly held: string[] }>;
  /** Commands to suggest for a parked run, listed before resume. @default none */
  suggests?(run: R): string[];
  /** What a resume from a phase reuses, one line each. */
  reuses?(run: R, from: PhaseName): string[];
  /**
   * Checks the facts again with a person's corrections. Throws if they are refused.
   * @param from the phase to resume with, unless the facts say otherwise
   */
  checkResume?(run: R, set: RouteChange, from: PhaseName): Promise<AcceptedResume>;
  /** Called before the run parks, while it waits for a window, and when it resumes. */
  releaseSlots?(run: R): Promise<void>;
}

/** An accepted resume: the phase to resume with, and the changes to apply. */
export interface AcceptedResume {
  readonly phase: PhaseName;
  accept?(): void;
}
