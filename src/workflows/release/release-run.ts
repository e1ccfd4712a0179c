import type { ReleaseInput } from '../../model/release/release-input';
import type { RunState } from '../../model/run/run-state';
import type { Memory } from '../run/memory';
import type { Kind } from '../run/phase';
import { Run } from '../run/run';

type Child = NonNullable<RunState['children']>[number];

/** An open release run: its groups and their backups. */
export class ReleaseRun extends Run {
  declare readonly input: ReleaseInput;

  constructor(kind: Kind<ReleaseRun>, input: ReleaseInput, memory?: Memory) {
    super(kind, input, memory, {});
  }

  override get route(): ReleaseInput['route'] {
    return this.input.route;
  }

  get children(): readonly Child[] {
    return this.state.children ?? [];
  }

  /** Shows the backup of a group, in starting order. */
  note(child: Child): void {
    const others = this.children.filter(({ runId }) => runId !== child.runId);
    this.show({ children: [...others, child].sort((one, other) => (one.runId < other.runId ? -1 : 1)) });
  }
}
