import { z } from 'zod';
import { importedFile } from '../snapshot/snapshot';

/** A group of a stage, and the run that promoted it or rolled it back. */
const promotedGroup = z.object({
  /** As the pipeline names it. */
  name: z.string(),
  groupId: z.string(),
  runId: z.string(),
});

/** Listing of a stage's group at the end of a promotion; later edits are drift. */
const listedGroup = z.object({
  items: z.number(),
  /** When the last of them was changed, by the portal's clock; 0 where it holds none, or none tells. @format milliseconds since the epoch */
  modified: z.number(),
});
export type ListedGroup = z.infer<typeof listedGroup>;

/**
 * What became of a release that came to a stage, once the run that brought it is over: with the mark of the store's key,
 * and never changed.
 */
export const promotionEntry = z.object({
  pipeline: z.string(),
  stage: z.string(),
  runId: z.string(),
  /** `rolled-back`: a promotion was rolled back. */
  kind: z.enum(['promoted', 'rolled-back']),
  /** The release that the run was about. */
  release: z.string(),
  /** Of that release. */
  sha256: z.string(),
  /** `verified`: all of it was read back, and every check passed. `failed`: the stage holds some of it. */
  status: z.enum(['verified', 'failed']),
  /** For a rollback: the promotion it rolled back. */
  undoes: z.string().optional(),
  /** Stage order and soak time were skipped. */
  hotfix: z.boolean().optional(),
  /** Claimed, not proven: `user@host`. */
  who: z.string(),
  reason: z.string().optional(),
  /** Who approved its plan, if anyone. */
  approvedBy: z.string().optional(),
  /** When it ended, by the worker's clock. */
  at: z.iso.datetime(),
  groups: z.array(promotedGroup),
  /** Checks of the stage that passed; absent if it has none. */
  checks: z.number().optional(),
  /** By the groups' names; absent if they could not be listed. */
  listed: z.record(z.string(), listedGroup).optional(),
  /** Runs that changed the portal itself. */
  settings: z.string().optional(),
  categories: z.string().optional(),
  /** With its release. */
  imported: importedFile.optional(),
});
export type PromotionEntry = z.infer<typeof promotionEntry>;

/** A release that is or was current in a stage. */
export interface StagedRelease {
  readonly release: string;
  readonly sha256: string;
  /** Since when it was verified there; absent if never. @format milliseconds since the epoch */
  readonly verifiedAt?: number;
  /** When another release replaced it. @format milliseconds since the epoch @default it is current */
  readonly until?: number;
  /** The entry that promoted it; absent in the first stage. */
  readonly entry?: PromotionEntry;
}

/** The oldest first. A rollback follows what it undoes, also if the clock of the worker that ended it is behind. */
export function inOrder(entries: readonly PromotionEntry[]): PromotionEntry[] {
  const promotedAt = new Map<string, number>();
  for (const { kind, runId, at } of entries) if (kind === 'promoted') promotedAt.set(runId, Date.parse(at));
  const placeOf = ({ kind, runId, at, undoes = '' }: PromotionEntry): string => {
    const time = Math.max(Date.parse(at), promotedAt.get(undoes) ?? 0);
    return `${new Date(time).toISOString()} ${kind} ${runId}`;
  };
  return entries.toSorted((one, other) => compare(placeOf(one), placeOf(other)));
}

const compare = (one: string, other: string): number => Number(one > other) - Number(one < other);

/**
 * The releases promoted to a stage and not rolled back, in order; the last one is current.
 * @param entries of the stage, in any order
 */
export function standingsOf(entries: readonly PromotionEntry[]): StagedRelease[] {
  const standings: StagedRelease[] = [];
  for (const entry of inOrder(entries)) {
    const { kind, release, sha256, status, at, undoes } = entry;
    const last = standings.pop();
    if (kind === 'rolled-back') {
      // A partly rolled back release stays current, so that people see it.
      if (last && (last.entry?.runId !== undoes || status === 'failed'))
        standings.push(status === 'failed' ? { ...last, verifiedAt: undefined } : last);
      const back = standings.pop();
      if (back) standings.push({ ...back, until: undefined, verifiedAt: soakedOn(back, at) });
      continue;
    }
    if (last) standings.push({ ...last, until: Date.parse(at) });
    standings.push({
      release,
      sha256,
      entry,
      ...(status === 'verified' && { verifiedAt: Date.parse(at) }),
    });
  }
  return standings;
}

/** Soak time counts only while it is current. */
function soakedOn({ verifiedAt, until }: StagedRelease, at: string): number | undefined {
  if (verifiedAt === undefined || until === undefined) return verifiedAt;
  return Date.parse(at) - (until - verifiedAt);
}

/** Releases rolled back from a stage and not verified there since, by sha256. @param entries of it, in any order */
export function wentBack(entries: readonly PromotionEntry[]): ReadonlySet<string> {
  const back = new Set<string>();
  for (const { kind, sha256, status } of inOrder(entries))
    if (kind === 'rolled-back') back.add(sha256);
    else if (status === 'verified') back.delete(sha256);
  return back;
}

/** Longest uninterrupted time a release was verified in a stage; undefined if never. @format milliseconds */
export function soakedMs(
  standings: readonly StagedRelease[],
  sha256: string,
  now: number,
): number | undefined {
  const times = standings
    .filter((each) => each.sha256 === sha256 && each.verifiedAt !== undefined)
    .map(({ verifiedAt = now, until = now }) => until - verifiedAt);
  return times.length === 0 ? undefined : Math.max(...times);
}

/** Most checks of a stage; the record of each promotion keeps their output. */
export const CHECKS_MAX = 20;

/** The result of a stage check. */
export const checkResult = z.object({
  name: z.string(),
  status: z.enum(['passed', 'failed']),
  problem: z.string().optional().describe('failure of the last attempt'),
  tries: z.number().describe('attempts'),
  tookMs: z.number().describe('all attempts and pauses'),
  output: z
    .object({
      stdout: z.string().optional(),
      stderr: z.string().optional(),
      answer: z.string().optional().describe('start of the response body'),
    })
    .describe('last 4 KB of the last attempt; likely secrets masked'),
});
export type CheckResult = z.infer<typeof checkResult>;

/** A check still to run. */
export interface DueCheck {
  readonly name: string;
  /** Limit of all its attempts and pauses together. @format milliseconds */
  readonly longestMs: number;
}
