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

/** Combines several verifications. */
export function joinVerifications(parts: readonly Verification[]): Verification {
  const joined = new JoinedVerifications();
  for (const part of parts) joined.add(part);
  return joined.whole;
}

/** Subject of a finding, and its fix. */
interface FindingDetails {
  readonly path?: string;
  readonly value?: string;
  readonly hint: string;
}

/** Collects the findings of one item. */
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

  /** The result; an item counts as checked if no check was skipped. */
  end(): Verification {
    const { notChecked } = this.verification;
    return { ...this.verification, checked: notChecked.length === 0 ? 1 : 0 };
  }

  /** Beyond the limit, only the number is kept. */
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

/** A value as shown in records, masked: URLs in items may contain a token, key, signature or password. */
export const shown = (value: string): string => maskSecrets(value).slice(0, KEPT_MAX);
