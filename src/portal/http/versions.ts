/** A release of the platform, as people name it: 10.8.1, 11.3. */
export interface Release {
  readonly major: number;
  readonly minor: number;
  readonly patch: number;
  /** Set where the portal is newer than all releases that are known: it is this one or a later one. */
  readonly orLater?: true;
  /** As people write it, without a trailing `.0` patch. */
  readonly text: string;
}

/** What a portal says about its version; either field may be missing, a number or a string. */
interface VersionMarks {
  readonly enterpriseVersion?: string | number | null;
  readonly currentVersion?: string | number | null;
}

/**
 * Releases by the API's own number, in ascending order. The number jumped from N.M to year.M, so one
 * numeric ordering holds. docs/reference/portal-interface.md, "Versions"
 */
const releasesByApiNumber: readonly (readonly [api: string, release: string])[] = [
  ['2.3', '10.2.1'],
  ['6.4', '10.7'],
  ['7.1', '10.7.1'],
  ['7.3', '10.8'],
  ['8.2', '10.8.1'],
  ['8.4', '10.9'],
  ['9.2', '10.9.1'],
  ['10.1', '11.0'],
  ['10.3', '11.1'],
  ['2023.2', '11.2'],
  ['2024.1', '11.3'],
  ['2024.2', '11.4'],
  ['2025.1', '11.5'],
  ['2025.2', '12.0'],
  ['2026.1', '12.1'],
  ['2026.2', '12.2'],
];

/**
 * The release of a portal: `enterpriseVersion` where it is given, else `currentVersion` through the
 * table (an unlisted number is the latest listed one below it; above the last it is that one `orLater`). undefined where neither can be read.
 */
export function releaseOf(self: VersionMarks): Release | undefined {
  const named = partsOf(self.enterpriseVersion);
  if (named) return fromParts(named);
  const api = partsOf(self.currentVersion);
  return api && fromApiNumber(api);
}

/**
 * A release from a text in either numbering, such as a package's `sourcePortalInfo.version` ("11.1.0").
 * From 10 up to the years a number is taken as a release, since packages carry that form.
 */
export function releaseFrom(text: string | number | null | undefined): Release | undefined {
  const parts = partsOf(text);
  if (!parts) return undefined;
  const major = parts[0] ?? 0;
  return major < 10 || major >= 2000 ? fromApiNumber(parts) : fromParts(parts);
}

/** Below 0, 0 or above 0, part by part. */
export const compareReleases = (a: Release, b: Release): number =>
  a.major - b.major || a.minor - b.minor || a.patch - b.patch;

export type PortalVersion = ReturnType<typeof releaseOf>;

/**
 * Whether a portal has at least this release. An unknown one counts as 10.8.1, the first with group
 * export and import, so that nothing newer is relied on.
 */
export function atLeast(version: PortalVersion, release: string): boolean {
  const needed = partsOf(release);
  if (!needed) throw new TypeError(`${release} is not a version`);
  return compareReleases(version ?? FIRST, fromParts(needed)) >= 0;
}

const FIRST: Release = { major: 10, minor: 8, patch: 1, text: '10.8.1' };

/** Numbers that are neither API numbers (up to 10.x) nor years are the release itself. */
function fromApiNumber(parts: readonly number[]): Release | undefined {
  const major = parts[0] ?? 0;
  if (major > 10 && major < 2000) return fromParts(parts);
  const number = fromParts(parts);
  const reached = releasesByApiNumber.filter(([api]) => compareReleases(number, parsed(api)) >= 0);
  const [api, release] = reached.at(-1) ?? [];
  if (api === undefined || release === undefined) return undefined;
  const found = parsed(release);
  const beyond = reached.length === releasesByApiNumber.length && compareReleases(number, parsed(api)) > 0;
  return beyond ? { ...found, text: `${found.text} or later`, orLater: true } : found;
}

const parsed = (text: string): Release => fromParts(partsOf(text) ?? []);

function fromParts([major = 0, minor = 0, patch = 0]: readonly number[]): Release {
  return { major, minor, patch, text: patch > 0 ? `${major}.${minor}.${patch}` : `${major}.${minor}` };
}

function partsOf(text: string | number | null | undefined): number[] | undefined {
  const match = /^\s*(\d+(?:\.\d+)*)/.exec(text == null ? '' : String(text));
  return match?.[1]?.split('.').map(Number);
}
