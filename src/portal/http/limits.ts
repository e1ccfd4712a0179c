/**
 * The limits of the portal's interface, each with its source, and the ones that this client sets itself.
 * Portals may allow more or less; what people may want to change is configurable above this room.
 */

const MiB = 1024 ** 2;
const GiB = 1024 ** 3;

// Of the interface

/** Largest export package. @format bytes. docs/reference/portal-interface.md, "Limits" */
export const PACKAGE_BYTES_MAX = 5 * GiB;
/** Largest single item inside a package. @format bytes. docs/reference/portal-interface.md, "Limits" */
export const ITEM_BYTES_MAX = GiB;
/** Free disk space that the portal wants before an export or import. @format bytes. docs/reference/portal-interface.md, "Limits" */
export const FREE_DISK_BYTES_MIN = 10 * GiB;
/** Largest file of one addItem request. @format bytes. docs/reference/portal-interface.md, "Limits" */
export const SINGLE_UPLOAD_MAX = 5 * GiB;
/** Most parts of an upload in parts; part numbers run from 1. docs/reference/portal-interface.md, "Limits" */
export const PARTS_MAX = 10_000;
/** Largest page of a listing or a search. docs/reference/portal-interface.md, "Listings" */
export const PAGE_MAX = 100;
/** Only so many results of one search can be paged. docs/reference/portal-interface.md, "Limits" */
export const SEARCH_RESULTS_MAX = 10_000;
/** Rows of an import preview's page when none are asked for. docs/reference/portal-interface.md, "Import preview" */
export const PREVIEW_PAGE_DEFAULT = 25;
/** Longest folder title. @format characters. docs/reference/portal-interface.md, "Folders" */
export const FOLDER_TITLE_MAX = 250;
/** A download this small may be an error in JSON in place of the file. @format bytes. docs/reference/portal-interface.md, "Download" */
export const ERROR_IN_DATA_MAX = 750;

// Of this client

/** Life asked for a token: long enough for a night's transfer, short enough to be worth little when it leaks. @format minutes */
export const TOKEN_MINUTES = 60;
/** A token is renewed so long ahead of its end, or at half of its life where that is shorter. @format milliseconds */
export const RENEW_AHEAD_MS = 5 * 60_000;
/** A refused password is not tried again for so long, since portals lock accounts after a few tries. @format milliseconds */
export const REFUSAL_REMEMBERED_MS = 30_000;
/** Bytes of one part: large enough that a request each costs nothing, small enough to repeat. @format bytes */
export const PART_BYTES = 32 * MiB;
/** From this size on a file goes up in parts. @format bytes */
export const PARTS_FROM_BYTES = 64 * MiB;
/** A JSON answer larger than this is not read. @format bytes */
export const JSON_BYTES_MAX = 16 * MiB;
/** Objects and lists of an answer stand so deep in each other at most; portals need ten. */
export const JSON_DEPTH_MAX = 100;
/** An answer has so many members and elements at most: a page of 100 items has some ten thousand. */
export const JSON_VALUES_MAX = 1_000_000;
/** A list in an answer has so many entries at most; older portals answer a whole group on one page. */
export const ENTRIES_MAX = 20_000;
/** A listing has so many pages at most: 50,000 entries where a portal gives 25 at a time. */
export const PAGES_MAX = 2_000;
/** All pages of a listing, in the form of JSON: forty thousand items of the usual size. @format characters */
export const LISTING_CHARACTERS_MAX = 128 * MiB;
/** Members and elements of all pages of a listing: forty thousand items of a hundred each. */
export const LISTING_VALUES_MAX = 4_000_000;
/** Redirects that are followed in a row. */
export const REDIRECTS_MAX = 5;
/** Requests at a time to one portal, over all callers in this process. */
export const CONNECTIONS_MAX = 16;

/** How long this client waits for a portal. @format milliseconds */
export interface Timeouts {
  /** Until the connection stands. */
  readonly connect: number;
  /** From the end of a request until its answer begins. */
  readonly headers: number;
  /** The same where the portal first stores a file. */
  readonly headersOfUpload: number;
  /** Between two pieces of an answer. */
  readonly body: number;
  /** A JSON call from its first byte to its last, signing in included; callers may set another, and a file has none. */
  readonly call: number;
  /** Signing in. */
  readonly signIn: number;
  /** An idle connection is kept for reads; shorter than the 5 s after which common servers drop it. */
  readonly keepAlive: number;
}

/** A portal begins its answer within this. @format milliseconds */
export const RESPONSE_TIMEOUT_MS = 120_000;

/** The time limits for a portal that is given so long to begin an answer; the others stand in proportion to it. */
export const timeoutsFor = (responseTimeoutMs = RESPONSE_TIMEOUT_MS): Timeouts => ({
  connect: 10_000,
  headers: responseTimeoutMs,
  headersOfUpload: responseTimeoutMs * 5,
  body: responseTimeoutMs / 2,
  call: responseTimeoutMs * 2.5,
  signIn: responseTimeoutMs / 2,
  keepAlive: 4_000,
});
