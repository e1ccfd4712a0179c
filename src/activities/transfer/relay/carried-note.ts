import { z } from 'zod';
import { keys } from '../../../store/keys';
import type { Store } from '../../../store/store';

const shape = z.object({ parts: z.record(z.string(), z.string()) });

/** Marks a part of which other bytes than the package's were sent. */
const DIFFERED = 'differed';

/**
 * Records which bytes were sent as which part before the package was complete, by the sha256 of everything up to a part's
 * end. Saved before a part is sent, so that it covers every part on the target.
 */
export class CarriedNote {
  private saving: Promise<void> = Promise.resolve();
  private next: Promise<void> | undefined;

  private constructor(
    private readonly store: Store,
    private readonly key: string,
    private readonly parts: Map<number, string>,
  ) {}

  static async read(store: Store, runId: string): Promise<CarriedNote> {
    const key = keys.carried(runId);
    const { parts = {} } = (await store.readJson(key, shape)) ?? {};
    return new CarriedNote(
      store,
      key,
      new Map(Object.entries(parts).map(([part, sha]) => [Number(part), sha])),
    );
  }

  /** Whether only these bytes were ever sent as this part. */
  isOnly(partNum: number, sha256: string): boolean {
    return this.parts.get(partNum) === sha256;
  }

  /** Parts whose sent bytes differ, or may differ, from the package. */
  differing(sha256Of: (partNum: number) => string | undefined): number[] {
    return [...this.parts.keys()]
      .filter((part) => this.parts.get(part) !== sha256Of(part))
      .sort((a, b) => a - b);
  }

  /**
   * Call before a part is sent. Parts that arrive during a save share the next one, because saves are slow on a disk that
   * is writing the package.
   */
  async begins(partNum: number, sha256: string): Promise<void> {
    const said = this.parts.get(partNum);
    if (said === sha256) return await (this.next ?? this.saving);
    this.parts.set(partNum, said === undefined ? sha256 : DIFFERED);
    this.next ??= this.saving
      .catch(() => undefined)
      .then(() => {
        this.saving = this.next ?? this.saving;
        this.next = undefined;
        return this.store.writeJson(this.key, { parts: Object.fromEntries(this.parts) });
      });
    await this.next;
  }
}
