import { createHash } from 'node:crypto';
import { z } from 'zod';
import { type RecordEnd, recordEnd } from './run';
import { memoKey } from './run-id';
import type { RouteEnd, RunRoute } from '../transfer/route';

/** What a run is started with for those who look at it later without a worker. */
const startMemo = z.object({
  /** As the record has it: a backup has no target, and a change of a portal no groups. */
  route: z.object({ name: z.string(), source: recordEnd.optional(), target: recordEnd.optional() }),
  /** Of a change of a portal. */
  operation: z.string().optional(),
  startedBy: z.string(),
  /** The scheduler of this route. */
  scheduledBy: z.string().optional(),
  /** Tells whether a repeated request id asks for the same thing. */
  fingerprint: z.string().optional(),
});
export type StartMemo = z.infer<typeof startMemo>;

/** @param asked what is asked for besides the route */
export const memoFor = (
  route: RunRoute,
  startedBy: string,
  scheduledBy?: string,
  asked?: object,
): Record<string, StartMemo> => ({
  [memoKey]: {
    route: {
      name: route.name,
      source: pick(route.source),
      target: route.target && pick(route.target),
    },
    startedBy,
    scheduledBy,
    fingerprint: fingerprintOf(route, asked),
  },
});

/**
 * The same for a change of a portal as a whole.
 *
 * @param asked what a repeated request id has to ask for
 */
export const memoForChange = (
  route: StartMemo['route'],
  operation: string,
  startedBy: string,
  asked?: object,
): Record<string, StartMemo> => ({
  [memoKey]: { route, operation, startedBy, fingerprint: asked && fingerprintOfChange(asked) },
});

/** The memo of a run; undefined for other workflows. */
export function readMemo(memo: Record<string, unknown> | undefined): StartMemo | undefined {
  const parsed = startMemo.safeParse(memo?.[memoKey]);
  return parsed.success ? parsed.data : undefined;
}

/**
 * Of what a run does; how long it waits, and beside how many others, may change meanwhile.
 *
 * @param asked what is asked for besides the route, such as a snapshot; what is left out, or off, is not asked for
 */
export function fingerprintOf({ name, source, target, options }: RunRoute, asked: object = {}): string {
  const { decisionTimeoutMs: _waits, ...does } = options;
  const { folderId, folderOwner } = target ?? {};
  const ends = [pick(source), target && { ...pick(target), folderId, folderOwner }];
  const more = Object.entries(asked)
    .filter(([, value]) => value !== undefined && value !== false && !isEmptyList(value))
    .sort();
  return digestOf([name, ends, does, ...(more.length > 0 ? [more] : [])]);
}

/** The same of a change of a portal, by all that makes it another one. */
export const fingerprintOfChange = (asked: object): string => digestOf(asked);

const digestOf = (value: object): string =>
  createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, 16);

const isEmptyList = (value: unknown): boolean => Array.isArray(value) && value.length === 0;

/** A rule names no group. */
const pick = ({ portal, url, groupId }: RouteEnd): RecordEnd => ({
  portal,
  url,
  groupId: groupId === '' ? undefined : groupId,
});
