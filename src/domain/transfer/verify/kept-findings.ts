import type { Verification } from '../../../model/transfer/verification';

/** Entries kept per item and list. */
export const OF_ONE_ITEM_MAX = 100;
/** Size limit of each list of a run, about five thousand entries. @format bytes of JSON */
const LIST_BYTES_MAX = 1_500_000;

/** Limit of the findings kept for the next run of a route. Below the limit of a list, so that none is missing. @format bytes of JSON */
export const REMEMBERED_BYTES_MAX = LIST_BYTES_MAX / 2;

/** The lists of a verification. */
export const keptLists = ['notChecked', 'external', 'findings'] as const;
export type KeptList = (typeof keptLists)[number];

export const emptyVerification = (): Verification => ({
  checked: 0,
  references: 0,
  features: 0,
  notChecked: [],
  external: [],
  findings: [],
});

/** Total number in a list, including omitted ones. */
export const lengthOf = (whole: Verification, list: KeptList): number =>
  whole[list].length + (whole.leftOut?.[list] ?? 0);

/** Counts omitted entries. */
export function leaveOut(whole: Verification, list: KeptList, count: number): void {
  if (count > 0) whole.leftOut = { ...whole.leftOut, [list]: (whole.leftOut?.[list] ?? 0) + count };
}

/** Combines several verifications, each list up to its limit. */
export class JoinedVerifications {
  readonly whole = emptyVerification();
  readonly #room = { notChecked: LIST_BYTES_MAX, external: LIST_BYTES_MAX, findings: LIST_BYTES_MAX };

  add(part: Verification): void {
    this.whole.checked += part.checked;
    this.whole.references += part.references;
    this.whole.features += part.features;
    for (const list of keptLists) {
      const kept = part[list].filter((entry) => this.#hasRoom(list, entry));
      const entries: Verification[KeptList][number][] = this.whole[list];
      entries.push(...kept);
      leaveOut(this.whole, list, lengthOf(part, list) - kept.length);
    }
  }

  /** After the first omitted entry, none is kept: the beginning stays. */
  #hasRoom(list: KeptList, entry: unknown): boolean {
    if (this.#room[list] >= 0) this.#room[list] -= Buffer.byteLength(JSON.stringify(entry));
    return this.#room[list] >= 0;
  }
}
