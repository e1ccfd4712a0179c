import type { ChildWorkflowHandle, Workflow } from '@temporalio/workflow';
import type { ReleaseInput } from '../../model/release/release-input';
import type { Cancel } from '../../model/run/run-input';
import type { RunState } from '../../model/run/run-state';
import { cancelSignal } from '../run/messages';
import type { Kind } from '../run/phase';
import { Run } from '../run/run';

type Child = NonNullable<RunState['children']>[number];

/** An open release run: its groups and their backups. */
export class ReleaseRun extends Run {
  declare readonly input: ReleaseInput;
  /** Open backups. */
  readonly underWay = new Set<ChildWorkflowHandle<Workflow>>();

  constructor(kind: Kind<ReleaseRun>, input: ReleaseInput, before?: RunState) {
    super(kind, input, before);
    this.show({ children: before?.children ?? [] });
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

  /** Also cancels its backups; `now` is passed on to them. */
  override async cancel(cancel: Cancel): Promise<void> {
    if (cancel.now)
      await Promise.all([...this.underWay].map((backup) => backup.signal(cancelSignal, cancel)));
    await super.cancel(cancel);
  }
}
