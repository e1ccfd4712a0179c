import type { PlanAction, PlanRow } from '../../model/transfer/plan';
import type { Route } from '../../model/transfer/route';

/** What the two listings say of an item. `left out`: its type cannot be exported. */
export type Difference = 'new' | 'changed' | 'same' | 'extra' | 'left out';

/** A plan's row, with what sets the two sides apart. */
export interface DiffRow extends PlanRow {
  readonly difference: Difference;
}

/** Both groups of a route side by side. */
export interface Diff {
  readonly route: Route;
  readonly sourceTitle?: string;
  readonly targetTitle?: string;
  readonly rows: readonly DiffRow[];
  readonly counts: Record<PlanAction, number>;
}

/** A package of ours that lies on a portal. */
export interface Leftover {
  readonly portal: string;
  readonly itemId: string;
  /** Absent in the root folder. */
  readonly folderId?: string;
  readonly title: string;
  readonly size?: number;
  /** Milliseconds since the epoch. */
  readonly created?: number;
  /** The run that made it, where a tag or the title says so. */
  readonly runId?: string;
  /** Open runs need their packages. */
  readonly state: 'in use' | 'left over';
  readonly removed: boolean;
}
