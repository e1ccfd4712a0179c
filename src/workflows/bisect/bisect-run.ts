import { workflowInfo } from '@temporalio/workflow';
import type { BisectInput } from '../../model/run/bisect';
import type { Cancel } from '../../model/run/run-input';
import type { RunState } from '../../model/run/run-state';
import type { Kind } from '../run/phase';
import { Run } from '../run/run';
import { BisectChild } from './bisect-child';
import { countOf, firstParts, type Part } from './bisect-parts';

/** Progress of a bisect. */
export interface Progress {
  readonly state: RunState;
  /** Parts still to try, the next one last. */
  readonly pending: readonly Part[];
  /** Portal messages by single-item run whose import failed. */
  readonly failing: Readonly<Record<string, string>>;
}

/** The workflow's type, for continuing as new. */
export type BisectWorkflow = (input: BisectInput, continued?: Progress) => Promise<RunState>;

/** An open bisect: its remaining parts and its current child run. */
export class BisectRun extends Run {
  declare readonly input: BisectInput;
  readonly child: BisectChild;
  pending: readonly Part[];
  failing: Readonly<Record<string, string>>;

  constructor(kind: Kind<BisectRun>, input: BisectInput, before?: Progress) {
    super(kind, input, before?.state);
    const { runId: workflowRun } = workflowInfo();
    this.show({
      children: before?.state.children ?? [],
      temporal: { workflowId: input.runId, runId: workflowRun },
    });
    this.pending =
      before?.pending ?? firstParts(countOf(input.route.options), input.reuse, input.wholeFailed);
    this.failing = before?.failing ?? {};
    this.child = new BisectChild(this);
  }

  override get route(): BisectInput['route'] {
    return this.input.route;
  }

  get progress(): Progress {
    const { state, pending, failing } = this;
    return { state, pending, failing };
  }

  /** Lets the child run end; `now` is passed on to it. */
  override async cancel(cancel: Cancel): Promise<void> {
    this.answers.cancelled = true;
    if (cancel.now) await this.child.cancel(cancel);
  }
}
