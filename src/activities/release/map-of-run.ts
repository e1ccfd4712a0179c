import { z } from 'zod';
import type { Authority } from '../../domain/control/authority';
import { hashOfJson } from '../../domain/snapshot/hashing';
import { referenceMap, type ReferenceMap } from '../../model/release/reference-map';

const signedMap = z.object({ map: referenceMap.optional(), snapshotId: z.string() });

/** The map of a run, and the snapshot it restores. */
export interface MapOfRun {
  readonly map: ReferenceMap;
  readonly snapshotId: string;
}

/**
 * The map signed at a run's start, whatever its workflow says. Throws NOT_AUTHENTIC if the run was not accepted or has
 * ended.
 */
export async function mapOfRun(
  authority: Pick<Authority, 'requireOpen'>,
  runId: string,
): Promise<MapOfRun | undefined> {
  const { map, snapshotId } = signedMap.parse((await authority.requireOpen(runId)).input);
  return map && { map, snapshotId };
}

/** The hash does not depend on the order of rows. */
export const hashOfMap = ({ urls, items }: ReferenceMap): string =>
  hashOfJson([urls, items].map((rows) => Object.entries(rows).sort(([one], [two]) => (one < two ? -1 : 1))));
