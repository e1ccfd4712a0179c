import { z } from 'zod';
import { keys } from '../../../store/keys';
import type { Store } from '../../../store/store';

const shape = z.object({ parts: z.record(z.string(), z.string()) });

/** Stands for bytes of which some were sent that were not those of the package. */
const DIFFERED = 'differed';

/**
 * Which bytes were begun to be sent as which part, before the package was whole: by the sha256 of all that comes before a
 * part's end. It is written before a part is sent, so that whatever of it is on the target is told by it.
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

  /** Whether nothing else was ever sent as this part. */
  isOnly(partNum: number, sha256: string): boolean {
    return this.parts.get(partNum) === sha256;
  }

  /** Parts of which something was sent that is not, or may not be, what the package has there. */
  differing(sha256Of: (partNum: number) => string | undefined): number[] {
    return [...this.parts.keys()]
      .filter((part) => this.parts.get(part) !== sha256Of(part))
      .sort((a, b) => a - b);
  }

  /**
   * Before a part is sent. Parts that come while the note is being written share the next writing: a disk that is at work
   * on the package takes its time for each.
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
