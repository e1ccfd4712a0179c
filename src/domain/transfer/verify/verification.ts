import { maskSecrets } from '../../../model/text/mask-secrets';
import { KEPT_MAX, shortened } from '../../../model/text/shortened';
import type { Finding, FindingKind, Remark, Verification } from '../../../model/transfer/verification';
import {
  emptyVerification,
  JoinedVerifications,
  type KeptList,
  leaveOut,
  OF_ONE_ITEM_MAX,
} from './kept-findings';

/** Sums of several verifications. */
export function joinVerifications(parts: readonly Verification[]): Verification {
  const joined = new JoinedVerifications();
  for (const part of parts) joined.add(part);
  return joined.whole;
}

/** What a finding is about, and how to mend it. */
interface FindingDetails {
  readonly path?: string;
  readonly value?: string;
  readonly hint: string;
}

/** The sheet on which the checks of one item write. */
export class Sheet {
  private readonly verification = emptyVerification();

  constructor(
    private readonly itemId: string,
    private readonly title?: string,
  ) {}

  find(kind: FindingKind, { path, value, hint }: FindingDetails): void {
    this.add('findings', {
      itemId: this.itemId,
      ...(this.title === undefined ? {} : { title: this.title }),
      kind,
      ...(path === undefined ? {} : { path: shortened(path) }),
      ...(value === undefined ? {} : { value: shown(value) }),
      hint,
    } satisfies Finding);
  }

  notChecked(reason: string, at: { path?: string; value?: string } = {}): void {
    this.add('notChecked', this.remark(reason, at));
  }

  external(reason: string, at: { path?: string; value?: string }): void {
    this.add('external', this.remark(reason, at));
  }

  followed(references: number): void {
    this.verification.references += references;
  }

  counted(features: number): void {
    this.verification.features += features;
  }

  /** What was written; an item counts as checked when nothing of it was left out. */
  end(): Verification {
    const { notChecked } = this.verification;
    return { ...this.verification, checked: notChecked.length === 0 ? 1 : 0 };
  }

  /** Of too many the number alone is kept. */
  private add<List extends KeptList>(list: List, entry: Verification[List][number]): void {
    const { verification } = this;
    const kept: Verification[KeptList][number][] = verification[list];
    if (kept.length < OF_ONE_ITEM_MAX) kept.push(entry);
    else leaveOut(verification, list, 1);
  }

  private remark(reason: string, { path, value }: { path?: string; value?: string }): Remark {
    return {
      itemId: this.itemId,
      ...(path === undefined ? {} : { path: shortened(path) }),
      ...(value === undefined ? {} : { value: shown(value) }),
      reason: shortened(reason),
    };
  }
}

/** A value as records show it. Addresses in items may carry a token, a key, a signature or a password. */
export const shown = (value: string): string => maskSecrets(value).slice(0, KEPT_MAX);
