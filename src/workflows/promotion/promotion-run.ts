import { type PromotionInput, stageName } from '../../model/release/promotion-input';
import type { ErrorRecord } from '../../model/run/run';
import type { RunStatus } from '../../model/run/phase';
import type { Memory } from '../run/memory';
import type { Kind } from '../run/phase';
import { Run } from '../run/run';

/** A group's progress, as of its last child run. */
interface GroupProgress {
  /** Its plan, by the run that made it, and that plan's full hash. */
  readonly planned?: { readonly ref: string; readonly sha256: string } | undefined;
  /** `imported`: as planned, and verified. `unclear`: partly, or unknown. `back`: rolled back. */
  readonly stands?: 'imported' | 'unclear' | 'back';
  /** Whether its import has written anything. */
  readonly isWritten?: boolean;
  /** The run that imported it. */
  readonly runId?: string;
  /** That run's safeguard. */
  readonly safeguard?: string;
}

/** A change of the portal: the run that made it first, and whether it is complete. */
interface PortalChange {
  readonly runId: string;
  readonly isWhole: boolean;
}
export interface PortalProgress {
  readonly settings?: PortalChange;
  readonly categories?: PortalChange;
}

/** Progress of a promotion. */
interface Progress {
  /** By group index. */
  groups: Readonly<Record<number, GroupProgress>>;
  portal: PortalProgress;
  /** How many child runs it has started. */
  parts: number;
  /** Why it is rolled back. */
  failure?: ErrorRecord;
  /** How many items, and documents of the portal, could not be rolled back, or not wholly. */
  left: number;
  /** Whether its outcome is recorded for the stage. */
  isCommitted: boolean;
}

/** An open promotion: the progress of each group. */
export class PromotionRun extends Run<PromotionInput, Progress> {
  constructor(kind: Kind<PromotionRun>, input: PromotionInput, memory?: Memory) {
    super(kind, input, memory);
    const { release, undoes } = input;
    this.show({ release, stage: stageName(input.route.name, input.stage) });
    if (undoes !== undefined && !memory) this.show({ undoes: { runId: undoes } });
  }

  /** Whether something of it is, or may be, on the stage. */
  get isWritten(): boolean {
    return (
      Object.values(this.own.groups).some(({ isWritten, stands }) => isWritten && stands !== 'back') ||
      this.own.portal.settings !== undefined ||
      this.own.portal.categories !== undefined
    );
  }

  /** Whether it has, or may have, changed the stage while rolling back. */
  get hasUndone(): boolean {
    return this.input.undoes !== undefined && this.state.target !== 'untouched';
  }

  get verdict(): RunStatus {
    if (this.route.options.planOnly) return 'succeeded';
    if (this.own.left > 0) return 'partial';
    return this.state.target === 'untouched' ? 'nothing-to-do' : 'succeeded';
  }

  /** Its effect on the stage; only what is recorded counts. */
  get came(): 'promoted' | 'rolled-back' | undefined {
    if (!this.own.isCommitted) return undefined;
    if (this.input.undoes === undefined && this.own.failure === undefined) return 'promoted';
    return this.own.left > 0 ? undefined : 'rolled-back';
  }

  /** Records the progress of a group. */
  noteGroup(index: number, progress: GroupProgress): void {
    this.own.groups = { ...this.own.groups, [index]: { ...this.own.groups[index], ...progress } };
  }

  notePortal(progress: PortalProgress): void {
    this.own.portal = { ...this.own.portal, ...progress };
  }
}
