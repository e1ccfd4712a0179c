/**
 * Releases of the platform with their `currentVersion`; the two numbering schemes are unrelated
 * (docs/reference/portal-interface.md, "Versions"). The values of 10.9.1 and 12.1 are assumed.
 */
const currentVersions: readonly (readonly [release: string, currentVersion: string])[] = [
  ['10.7', '6.4'],
  ['10.7.1', '7.1'],
  ['10.8', '7.3'],
  ['10.8.1', '8.2'],
  ['10.9', '8.4'],
  ['10.9.1', '9.2'],
  ['11.0', '10.1'],
  ['11.1', '10.3'],
  ['11.2', '2023.2'],
  ['11.3', '2024.1'],
  ['11.4', '2024.2'],
  ['11.5', '2025.1'],
  ['12.0', '2025.2'],
  ['12.1', '2026.1'],
  ['12.2', '2026.2'],
];

/** A release such as `11.2` or `10.8.1`. */
export class Release {
  private readonly parts: readonly number[];

  /** @throws Error if the text is no release number */
  constructor(readonly text: string) {
    if (!/^\d+\.\d+(\.\d+)?$/.test(text)) throw new Error(`"${text}" is no version such as 11.2 or 10.8.1`);
    this.parts = text.split('.').map(Number);
  }

  atLeast(other: string | Release): boolean {
    const theirs = (typeof other === 'string' ? new Release(other) : other).parts;
    for (let i = 0; i < 3; i++) {
      const difference = (this.parts[i] ?? 0) - (theirs[i] ?? 0);
      if (difference !== 0) return difference > 0;
    }
    return true;
  }

  /** With three parts, as in packages and `enterpriseVersion`. */
  get long(): string {
    return [0, 1, 2].map((i) => this.parts[i] ?? 0).join('.');
  }

  get currentVersion(): string {
    const known = [...currentVersions].reverse().find(([release]) => this.atLeast(release));
    return known?.[1] ?? '6.4';
  }
}
