import type { PreviewSeen } from '../../activities/transfer/plan/previews';
import type { PackageInStore } from '../../model/transfer/stored-package';
import type { Facts } from '../run/facts';

/** One of a run's packages, as far as it has come. */
interface RunPackage {
  readonly stored?: PackageInStore;
  /** Id of the package item on the target. */
  readonly onTarget?: string;
  readonly preview?: PreviewSeen;
}

/** What phases know of the package at hand. */
type AtHand = { readonly [Name in 'package' | 'targetPackage' | 'preview']: Facts[Name] | undefined };

/**
 * The packages of a run, in the order in which they are imported. Most runs have one; a group over the limit goes in
 * several, and what a restore brings may lie in several. The phases that make one, and those that import one, are walked
 * once for each: facts are those of the package at hand.
 */
export class Packages {
  private all: RunPackage[] = [];
  private at = 0;
  private last = 0;
  private cuts = 0;

  /** Which one is at hand, from 0. */
  get index(): number {
    return this.at;
  }

  /** The same as activities want it, which leave it out where there is only one. */
  get part(): number | undefined {
    return this.at || undefined;
  }

  /** Of which one an import was posted last. */
  get posted(): number | undefined {
    return this.last || undefined;
  }

  /** Which round of exports it is: each time that a package was cut in two, what comes is exported anew. @default 1 */
  get round(): number | undefined {
    return this.cuts > 0 ? this.cuts + 1 : undefined;
  }

  /** The one at hand was too large, and is another one by now. */
  cut(): void {
    this.cuts += 1;
  }

  /** How many have come so far. */
  get count(): number {
    return this.all.length;
  }

  /** Those that are not imported yet, with their places. */
  get remaining(): readonly (RunPackage & { readonly index: number })[] {
    return this.all.map((each, index) => ({ ...each, index })).slice(this.at);
  }

  get list(): readonly RunPackage[] {
    return this.all;
  }

  /** The first that lies in the store. */
  get first(): PackageInStore | undefined {
    return this.all[0]?.stored;
  }

  /** Of all that lie in the store. */
  get bytes(): number {
    return this.all.reduce((sum, { stored }) => sum + (stored?.sizeBytes ?? 0), 0);
  }

  /** Notes what became of one of them. */
  note(index: number, now: RunPackage): void {
    this.all[index] = { ...this.all[index], ...now };
  }

  /** All that a snapshot holds. */
  lieInStore(stored: readonly PackageInStore[]): void {
    this.all = stored.map((each) => ({ stored: each }));
  }

  /** All are made again. */
  startOver(): void {
    this.all = [];
    this.at = 0;
  }

  /** The one at hand is about to be imported. */
  posts(): void {
    this.last = this.at;
  }

  /** Takes another one to hand. */
  turnTo(index: number): AtHand {
    this.at = index;
    const { stored, onTarget, preview } = this.all[index] ?? {};
    return { package: stored, targetPackage: onTarget, preview };
  }
}
