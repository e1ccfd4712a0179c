import type { Change, FieldChange } from '../../model/transfer/change';
import type { PlanRow } from '../../model/transfer/plan';
import { hashOfJson } from '../snapshot/hashing';

/** What an import of an item changes or may change, besides the content that was compared. */
interface Besides {
  /** What else it changes, such as its owner. */
  readonly fields: readonly FieldChange[];
  /** Why it may change although what was compared is the same. */
  readonly doubt?: string;
}

/** What an import of an item changes, by the comparison of its content and whatever else it sets. */
export function changeWith(compared: Change, { fields, doubt }: Besides): Change {
  if (fields.length > 0) {
    const kind = compared.kind === 'unknown' ? 'unknown' : 'changed';
    const sha256 = hashOfJson([compared.sha256, fields]);
    return { ...compared, kind, fields: [...fields, ...compared.fields], sha256 };
  }
  if (compared.kind !== 'same' || doubt === undefined) return compared;
  return { ...compared, kind: 'unknown', why: doubt, sha256: hashOfJson([compared.sha256, doubt]) };
}

/** A plan shows so many fields; what its rows change beyond that is only counted. */
const FIELDS_MAX = 20_000;

/** Rows with the first fields only, so that a plan stays small, whatever portals hold. Their hashes stay. */
export function boundFields(rows: readonly PlanRow[], most = FIELDS_MAX): PlanRow[] {
  let left = most;
  return rows.map((row) => {
    const { change } = row;
    if (change === undefined || change.fields.length <= left) {
      left -= change?.fields.length ?? 0;
      return row;
    }
    const fields = change.fields.slice(0, left);
    const more = (change.more ?? 0) + change.fields.length - fields.length;
    left = 0;
    return { ...row, change: { ...change, fields, more } };
  });
}
