import type { ErrorCode } from '../model/errors/error-codes';
import { WORDS_MAX } from './http/scrubber';

/** An error reported by a portal, in any of its forms. */
export interface Envelope {
  readonly code?: number;
  readonly subcode?: number;
  readonly messageCode?: string;
  /** Message and details, joined. */
  readonly words: string;
  readonly retryAfter?: unknown;
}

/** A known error whose message says more than its number. */
interface KnownError {
  readonly is: (envelope: Envelope) => boolean;
  /** @default what its number says */
  readonly code?: ErrorCode;
  /** The fix. */
  readonly hint: string;
}

const knownErrors: readonly KnownError[] = [
  {
    // ENOSPC and ERROR_DISK_FULL in the words of Linux and Windows, which Java passes on; a portal's own are not known
    is: ({ words }) =>
      /no space left on device|(not enough|insufficient) (free )?(disk |storage )?space|disk (is )?full/i.test(
        words,
      ),
    code: 'DISK_FULL',
    hint: "The portal's disk is full. Free space in its content store, then resume or restart the run.",
  },
  {
    // No source tells a portal's words for this: whatever calls a package, or its limit, too large
    is: ({ words }) =>
      /\b(package|epk)\b[^/]{0,120}\b(exceeds?|exceeded|too (large|big)|larger than|over the limit)\b|\b(exceeds?|exceeded|over) [^/]{0,60}\b(package|epk) size\b/i.test(
        words,
      ),
    code: 'PACKAGE_TOO_LARGE',
    hint: 'The portal refuses a package this large. Set limits.packageBytes to what it accepts.',
  },
  {
    // Esri/arcgis-rest-js issue 735; Esri/arcgis-python-api issues 1114, 1691: 409, a file name is its owner's once a folder
    is: ({ code, words }) =>
      (code === 409 || code === 400) && /^item (with file )?'.*' already exists/i.test(words),
    code: 'BAD_REQUEST',
    hint: 'The owner already has a file with that name in that folder. Rename or delete that item on the portal.',
  },
  {
    // Esri/solution.js issue 675; Esri/arcgis-python-api issue 2538: which services they are is not told
    is: ({ messageCode, words }) => messageCode === 'CONT_00481' || /has a related service item/i.test(words),
    code: 'BAD_REQUEST',
    hint: 'Views or other services depend on this one. Delete them first, on the portal.',
  },
  {
    // Esri/solution.js: code 400, `Unable to create folder.`, and this as its detail
    is: ({ words }) => /folder title '.*' (is )?not available/i.test(words),
    code: 'BAD_REQUEST',
    hint: 'That user already has a folder with this title. Use it, or choose another title.',
  },
  {
    // Seen of services behind the vendor's proxy: 500 `Error invoking service`, `Error generating token`; for good
    is: ({ messageCode }) => messageCode === 'CONT_0044',
    code: 'PERMISSION_DENIED',
    hint: 'The service refuses the credentials stored with this item. Ask its owner to enter valid ones.',
  },
];

/**
 * Matches by message alone if there is no error envelope, as in job messages. docs/reference/portal-interface.md,
 * "Errors"
 */
export function knownError(envelope: Envelope): KnownError | undefined {
  // A message of a job may be so long that a search would hold up the worker.
  const words = envelope.words.slice(0, WORDS_MAX);
  return knownErrors.find(({ is }) => is({ ...envelope, words }));
}
