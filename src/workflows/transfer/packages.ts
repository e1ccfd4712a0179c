import type { PreviewSeen } from '../../activities/transfer/plan/previews';
import type { PackageInStore } from '../../model/transfer/stored-package';
import type { Facts } from '../run/facts';

/** One of a run's packages and its progress. */
interface RunPackage {
  readonly stored?: PackageInStore;
  /** ID of the package item on the target. */
  readonly onTarget?: string;
  readonly preview?: PreviewSeen;
}

/** Facts about the current package. */
type AtHand = { readonly [Name in 'package' | 'targetPackage' | 'preview']: Facts[Name] | undefined };

/**
 * The packages of a run, in import order. Most runs have one; a group over the limit needs several, and a restore may
 * have several. Export and import phases run once per package; facts are about the current one.
 */
export class Packages {
  private all: RunPackage[] = [];
  private at = 0;
  private last = 0;
  private cuts = 0;

  /** Index of the current package. */
  get index(): number {
    return this.at;
  }

  /** The index for activities; undefined for the first. */
  get part(): number | undefined {
    return this.at || undefined;
  }

  /** Index of the package whose import was sent last. */
  get posted(): number | undefined {
    return this.last || undefined;
  }

  /** The round of exports: after a package is split, its halves are exported anew. @default 1 */
  get round(): number | undefined {
    return this.cuts > 0 ? this.cuts + 1 : undefined;
  }

  /** The current package was too large and has been split. */
  cut(): void {
    this.cuts += 1;
  }

  /** Number of packages downloaded so far. */
  get count(): number {
    return this.all.length;
  }

  /** Packages not yet imported, with their indices. */
  get remaining(): readonly (RunPackage & { readonly index: number })[] {
    return this.all.map((each, index) => ({ ...each, index })).slice(this.at);
  }

  get list(): readonly RunPackage[] {
    return this.all;
  }

  /** The first package in the store. */
  get first(): PackageInStore | undefined {
    return this.all[0]?.stored;
  }

  /** Total size of packages in the store. */
  get bytes(): number {
    return this.all.reduce((sum, { stored }) => sum + (stored?.sizeBytes ?? 0), 0);
  }

  /** Updates a package. */
  note(index: number, now: RunPackage): void {
    this.all[index] = { ...this.all[index], ...now };
  }

  /** Sets the packages of a snapshot. */
  lieInStore(stored: readonly PackageInStore[]): void {
    this.all = stored.map((each) => ({ stored: each }));
  }

  /** Exports all packages again. */
  startOver(): void {
    this.all = [];
    this.at = 0;
  }

  /** The current package is about to be imported. */
  posts(): void {
    this.last = this.at;
  }

  /** Makes another package the current one. */
  turnTo(index: number): AtHand {
    this.at = index;
    const { stored, onTarget, preview } = this.all[index] ?? {};
    return { package: stored, targetPackage: onTarget, preview };
  }
}
