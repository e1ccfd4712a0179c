import type { ErrorCode } from '../../model/errors/error-codes';
import { PortolanError } from '../../model/errors/errors';
import { CHAIN_FORMAT, SNAPSHOT_FORMAT } from '../../model/snapshot/snapshot';
import type { SortOfFiles } from '../../store/authentic/authentic-files';

/** What a snapshot says of itself is marked with the key of its store. */
export const filesOfSnapshots: SortOfFiles = {
  format: SNAPSHOT_FORMAT,
  upTo: CHAIN_FORMAT,
  altered: 'SNAPSHOT_ALTERED',
  newer: 'SNAPSHOT_NEWER',
};

/** A snapshot whose manifest cannot be read: somebody altered it, or a newer Portolan wrote it. */
export interface UnreadableSnapshot {
  readonly id: string;
  readonly code: ErrorCode;
  readonly why: string;
}

const ofTheFile: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'SNAPSHOT_ALTERED',
  'SNAPSHOT_NEWER',
  'RELEASE_ALTERED',
  'RELEASE_NEWER',
  'STORE_BROKEN',
]);

/** A file that is not as it should be; what keeps the store from being read at all is thrown on. */
export function whyUnreadable(id: string, thrown: unknown): UnreadableSnapshot {
  const error = PortolanError.from(thrown);
  if (!ofTheFile.has(error.code)) throw thrown;
  return { id, code: error.code, why: error.plainMessage };
}
