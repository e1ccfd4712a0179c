import type { ReleaseInput } from '../../model/release/release-input';
import type { Memory } from '../run/memory';
import type { Kind } from '../run/phase';
import { Run } from '../run/run';

/** An open release run: its groups, and their snapshots by index. */
export class ReleaseRun extends Run<{ readonly snapshots: Record<number, string> }> {
  declare readonly input: ReleaseInput;

  constructor(kind: Kind<ReleaseRun>, input: ReleaseInput, memory?: Memory) {
    super(kind, input, memory, { snapshots: {} });
  }

  override get route(): ReleaseInput['route'] {
    return this.input.route;
  }
}
