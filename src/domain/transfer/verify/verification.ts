import { maskSecrets } from '../../../model/text/mask-secrets';
import type { Finding, FindingKind, Remark, Verification } from '../../../model/transfer/verification';

export const emptyVerification = (): Verification => ({
  checked: 0,
  references: 0,
  features: 0,
  notChecked: [],
  external: [],
  findings: [],
});

/** Sums of several verifications, lists one after the other. */
export function joinVerifications(parts: readonly Verification[]): Verification {
  const whole = emptyVerification();
  for (const part of parts) {
    whole.checked += part.checked;
    whole.references += part.references;
    whole.features += part.features;
    whole.notChecked.push(...part.notChecked);
    whole.external.push(...part.external);
    whole.findings.push(...part.findings);
  }
  return whole;
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
    this.verification.findings.push({
      itemId: this.itemId,
      ...(this.title === undefined ? {} : { title: this.title }),
      kind,
      ...(path === undefined ? {} : { path }),
      ...(value === undefined ? {} : { value: shown(value) }),
      hint,
    } satisfies Finding);
  }

  notChecked(reason: string, at: { path?: string; value?: string } = {}): void {
    this.verification.notChecked.push(this.remark(reason, at));
  }

  external(reason: string, at: { path?: string; value?: string }): void {
    this.verification.external.push(this.remark(reason, at));
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

  private remark(reason: string, { path, value }: { path?: string; value?: string }): Remark {
    return {
      itemId: this.itemId,
      ...(path === undefined ? {} : { path }),
      ...(value === undefined ? {} : { value: shown(value) }),
      reason,
    };
  }
}

/** Longest value that is kept of a document. @format characters */
const VALUE_MAX = 500;

/** A value as records show it. Addresses in items may carry a token, a key, a signature or a password. */
export const shown = (value: string): string => maskSecrets(value).slice(0, VALUE_MAX);
