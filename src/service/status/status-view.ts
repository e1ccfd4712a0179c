import { exitStatus, meaningOf } from '../../model/errors/error-codes';
import type { RouteState } from '../../domain/snapshot/retention/route-state';
import type { RunRow } from '../run/run-view';

/** How things stand, on one screen. */
export interface StatusView {
  readonly temporal: { readonly address: string; readonly answers: boolean };
  /** Who takes work; none where Temporal does not answer. */
  readonly workers: readonly string[];
  /** Why not all that this configuration names can be done by who takes work, and what to do about it. */
  readonly unable?: { readonly code: UnableCode; readonly message: string; readonly hint: string };
  readonly running: readonly RunRow[];
  /** Runs that wait for an approval. */
  readonly waiting: readonly RunRow[];
  /** Runs that wait for a correction. */
  readonly parked: readonly RunRow[];
  /** Routes whose last good snapshot is older than they promise. */
  readonly overdue: readonly Pick<RouteState, 'route' | 'lastGood' | 'maxAgeMs'>[];
  /** What is due next, the soonest first. */
  readonly next: readonly NextStart[];
  /** Schedules of portolan.yaml that the server does not have as they are there. */
  readonly unapplied: readonly string[];
  /** What could not be looked at, and why. */
  readonly notes: readonly string[];
}

/** What a worker lacks: a secret, or this configuration's store and portals. */
export const unableCodes = ['SECRET_UNREADABLE', 'CONFIG_MISMATCH'] as const;
export type UnableCode = (typeof unableCodes)[number];

export interface NextStart {
  readonly schedule: string;
  readonly kind: string;
  readonly route?: string;
  readonly at: string;
}

/** Why somebody has to look, the gravest first; undefined where nobody has to. */
export function concernOf(view: StatusView): { readonly exit: number; readonly words: string } | undefined {
  const { temporal, workers, unable, overdue, waiting, parked } = view;
  if (!temporal.answers) return { exit: exitStatus.noTemporal, words: 'Temporal does not answer' };
  if (workers.length === 0) return { exit: exitStatus.noTemporal, words: 'no worker is up' };
  if (unable) return { exit: meaningOf(unable.code).exit, words: 'a worker cannot do its work' };
  if (overdue.length > 0) return { exit: exitStatus.partial, words: 'a backup is overdue' };
  if (parked.length > 0) return { exit: exitStatus.waiting, words: 'a run is parked' };
  return waiting.length > 0 ? { exit: exitStatus.waiting, words: 'a run waits for an approval' } : undefined;
}
