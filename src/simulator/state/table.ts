import type { Journal } from './journal';

/**
 * A table of records by ID. Each change is written to the journal before it is visible, so that a killed portal keeps
 * what its responses said.
 */
export class Table<T extends object> {
  private readonly records = new Map<string, T>();
  /** Grows with each change. */
  version = 0;

  constructor(
    private readonly name: string,
    private readonly journal: Journal,
  ) {
    journal.attach(name, {
      put: (id, value) => this.set(id, value as T),
      remove: (id) => void this.delete(id),
      entries: () => this.records.entries(),
    });
  }

  get size(): number {
    return this.records.size;
  }

  get(id: string): T | undefined {
    return this.records.get(id);
  }

  has(id: string): boolean {
    return this.records.has(id);
  }

  values(): IterableIterator<T> {
    return this.records.values();
  }

  /** Records that meet a condition, in order of creation. */
  filter(test: (record: T) => boolean): T[] {
    return [...this.records.values()].filter(test);
  }

  find(test: (record: T) => boolean): T | undefined {
    for (const record of this.records.values()) if (test(record)) return record;
    return undefined;
  }

  put(id: string, record: T): T {
    this.journal.write({ t: this.name, id, v: record });
    this.set(id, record);
    return record;
  }

  /** Replaces some fields of a record. @throws Error if there is no such record */
  change(id: string, fields: Partial<T>): T {
    const record = this.records.get(id);
    if (!record) throw new Error(`No ${this.name} record "${id}"`);
    return this.put(id, { ...record, ...fields });
  }

  remove(id: string): boolean {
    if (!this.records.has(id)) return false;
    this.journal.write({ t: this.name, id });
    return this.delete(id);
  }

  private set(id: string, record: T): void {
    this.version += 1;
    this.records.set(id, record);
  }

  private delete(id: string): boolean {
    this.version += 1;
    return this.records.delete(id);
  }
}
