import { z } from 'zod';
import { findSnapshot } from '../../domain/resolve-id';
import { listSnapshots } from '../../domain/snapshot/list-snapshots';
import { openSnapshots } from '../../domain/snapshot/snapshots';
import {
  type SharedFiles,
  type VerifiedSnapshot,
  verifySnapshot,
} from '../../domain/snapshot/verify-snapshot';
import { PortolanError } from '../../model/errors/errors';
import type { StoredSources } from '../run/run-sources';
import type { MayChangeSnapshot } from './snapshots';

/** Maximum number of names; use `all` for more. */
const NAMES_MAX = 200;

export type { VerifiedSnapshot };

/** Selection: exactly one of the three. */
export const verifyRequest = z.strictObject({
  snapshots: z
    .array(z.string().min(1).max(300))
    .min(1)
    .max(NAMES_MAX)
    .optional()
    .describe('IDs, suffixes, `latest` or `latest:ROUTE`'),
  all: z.literal(true).optional().describe('every snapshot in the store'),
  route: z
    .string()
    .min(1)
    .max(200)
    .optional()
    .describe('snapshots of this route, and those that cannot be read'),
});
export type VerifyRequest = z.input<typeof verifyRequest>;

/** A snapshot whose every byte was read, as `VerifiedSnapshot` says. */
export const verifiedSnapshot: z.ZodType<VerifiedSnapshot> = z.object({
  id: z.string(),
  files: z.number(),
  bytes: z.number(),
  problems: z.array(
    z.object({
      file: z.string(),
      problem: z.string(),
      costs: z
        .array(
          z.object({
            id: z.string(),
            items: z.array(z.object({ itemId: z.string(), title: z.string() })),
            why: z.string().optional(),
          }),
        )
        .optional(),
    }),
  ),
});

/**
 * IDs of the selected snapshots. Throws `SNAPSHOT_NOT_FOUND`, and `USAGE` if a name matches several or not exactly
 * one selection is given.
 * @param require throws where whoever asks has nothing to do with one. @default they may
 */
export async function chosenSnapshots(
  { config, store }: StoredSources,
  { snapshots: texts = [], all, route }: VerifyRequest,
  require?: MayChangeSnapshot,
): Promise<string[]> {
  if ([texts.length > 0, all, route !== undefined].filter(Boolean).length !== 1) {
    throw new PortolanError('USAGE', 'Name snapshots, or --all, or --route.', {
      hint: 'See: portolan snapshot verify --help',
    });
  }
  const snapshots = openSnapshots(config, store);
  const ids: string[] = [];
  for (const text of texts) ids.push(await findSnapshot(snapshots, text));
  const { readable, unreadable } =
    texts.length > 0 ? { readable: [], unreadable: [] } : await listSnapshots(snapshots);
  const chosen = readable.filter(({ manifest }) => route === undefined || manifest.route === route);
  ids.push(...chosen.map(({ manifest }) => manifest.id), ...unreadable.map(({ id }) => id));
  if (require) for (const id of ids) require(await snapshots.find(id).catch(() => undefined));
  return [...new Set(ids)];
}

/**
 * Reads every byte, one snapshot after the other; shared files are read once. Throws ABORTED once the signal fires.
 */
export async function* verifySnapshots(
  { config, store }: StoredSources,
  ids: readonly string[],
  signal?: AbortSignal,
): AsyncGenerator<VerifiedSnapshot> {
  const snapshots = openSnapshots(config, store);
  const shared: SharedFiles = new Map();
  for (const id of ids) yield await verifySnapshot(snapshots, id, shared, signal);
}
