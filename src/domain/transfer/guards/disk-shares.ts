import { isPackaged, type PlanRow } from '../../../model/transfer/plan';

/**
 * What a run will still put into the content store of its target. The portal looks whether 10 GB are free before every
 * export and every import, and nowhere else (docs/reference/portal-interface.md, "Limits"). So
 *
 * - the package before its upload, and the safeguard's package before its export, come on top of these 10 GB: both lie
 *   in the content store when the portal looks before the import;
 * - what the import unpacks comes out of them, since they are needed for that job, and only counts where it is more;
 * - a package that lies there already is no longer among what is free, and is not counted twice.
 *
 * @format bytes
 */
export interface DiskShares {
  readonly upload?: number;
  readonly safeguard?: number;
  readonly unpacked?: number;
}

/** What must be free now, so that the portal still finds enough before the import. @format bytes */
export const bytesNeeded = (
  minBytes: number,
  { upload = 0, safeguard = 0, unpacked = 0 }: DiskShares = {},
): number => Math.max(minBytes, unpacked) + upload + safeguard;

type WeighedRow = Pick<PlanRow, 'action' | 'size' | 'hosted' | 'target'>;

/**
 * The shares of a run whose package is uploaded. Nobody tells what a hosted layer weighs: what the package weighs beyond
 * its items of known size is divided among the others, and the same layers weigh about as much on the target.
 *
 * @param packageBytes of the package that is uploaded
 */
export function sharesOfPlan(rows: readonly WeighedRow[], packageBytes: number): Required<DiskShares> {
  const packaged = rows.filter(isPackaged);
  const unweighed = packaged.filter((row) => sizeOf(row) === undefined).length;
  const known = packaged.reduce((sum, row) => sum + (sizeOf(row) ?? 0), 0);
  const each = unweighed === 0 ? 0 : Math.max(0, packageBytes - known) / unweighed;
  const weight = (of: (row: WeighedRow) => number | undefined, taken: readonly WeighedRow[]): number =>
    Math.round(taken.reduce((sum, row) => sum + (of(row) ?? each), 0));
  return {
    upload: 0,
    unpacked: weight(
      sizeOf,
      packaged.filter(({ action }) => action === 'create' || action === 'overwrite'),
    ),
    // What lies outside of the group cannot be exported with it, and is copied one by one.
    safeguard: weight(
      (row) => (sizeOf(row) === undefined ? undefined : (row.target?.size ?? sizeOf(row))),
      packaged.filter(({ action, target }) => action === 'overwrite' && target?.inGroup === true),
    ),
  };
}

/** undefined for hosted services, whose record says nothing of their data, and where none is told. */
const sizeOf = ({ size, hosted }: WeighedRow): number | undefined =>
  hosted || size === undefined || size < 0 ? undefined : size;
