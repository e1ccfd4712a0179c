import type { BisectInput } from '../../model/run/bisect';
import type { Cancel } from '../../model/run/run-input';
import type { Memory } from '../run/memory';
import type { Kind } from '../run/phase';
import { Run } from '../run/run';
import { countOf, firstParts, type Part } from './bisect-parts';

/** Progress of a bisect. */
interface Progress {
  /** Parts still to try, the next one last. */
  pending: readonly Part[];
  /** Portal messages by single-item run whose import failed. */
  failing: Readonly<Record<string, string>>;
}

/** An open bisect: its remaining parts. */
export class BisectRun extends Run<Progress> {
  declare readonly input: BisectInput;

  constructor(kind: Kind<BisectRun>, input: BisectInput, memory?: Memory) {
    const { route, reuse, wholeFailed } = input;
    super(kind, input, memory, {
      pending: firstParts(countOf(route.options), reuse, wholeFailed),
      failing: {},
    });
  }

  override get route(): BisectInput['route'] {
    return this.input.route;
  }

  /** Lets the child run end; `now` is passed on to it. */
  override async cancel(cancel: Cancel): Promise<void> {
    this.answers.cancelled = true;
    if (cancel.now) await this.stopWaiting(cancel);
  }
}
