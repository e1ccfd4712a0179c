import type { Signed } from '../run/signature';
import type { TaskRunStatus } from '../run/phase';
import type { TaskAddress } from './task-run';

/** A portal by its name in portolan.yaml, with `{base_url}` as the starter's configuration has it. */
export interface PortalRef {
  readonly portal: string;
  readonly url: string;
}

/** What starts a change of a portal as a whole. Travels through history: holds no secret. */
export interface ChangeInput extends Signed {
  /** The Temporal workflow id, and the only id that people see. */
  readonly runId: string;
  /** As it is typed: `apply`, `promote`, `delete`, `update`. */
  readonly operation: string;
  /** The portal that is changed. */
  readonly portal: PortalRef;
  /** Where its new values come from, if from another portal. */
  readonly from?: PortalRef;
  /** Claimed, not proven: `user@host`. */
  readonly startedBy: string;
  /** `--reason`, kept in the record. */
  readonly reason?: string;
}

/** The parts of a portal that are changed as documents, by the kind of the run that does it. */
export const documentKinds = ['settings', 'category-schema'] as const;
export type DocumentKind = (typeof documentKinds)[number];

/** Starts a change of a document. The document to write is in the store, under `keys.desired`. */
export interface DocumentChangeInput extends ChangeInput {
  /** Fingerprint of the values that people were shown, old and new: others are neither replaced nor written. */
  readonly expected: string;
  /** What people were told before it started, for the record. @default nothing */
  readonly warnings?: readonly string[];
}

/** Starts `task-run update`. */
export interface TaskRunInput extends ChangeInput {
  readonly task: TaskAddress;
  readonly status: TaskRunStatus;
  /** May be empty. @default the current one */
  readonly result?: string;
}

/** The ends of a change of a portal, as those of any run. */
export const routeOfChange = ({ portal, from }: Pick<ChangeInput, 'portal' | 'from'>) => ({
  name: portal.portal,
  source: from,
  target: portal,
});
