import type { Journal } from './journal';

/**
 * A table of records by id. Every change is one line of the journal, written before the change is seen,
 * so that a portal that is killed comes back with what it had answered.
 */
export class Table<T extends object> {
  private readonly records = new Map<string, T>();

  constructor(
    private readonly name: string,
    private readonly journal: Journal,
  ) {
    journal.attach(name, {
      put: (id, value) => void this.records.set(id, value as T),
      remove: (id) => void this.records.delete(id),
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

  /** Records that fulfil a condition, in the order in which they were first put. */
  filter(test: (record: T) => boolean): T[] {
    return [...this.records.values()].filter(test);
  }

  find(test: (record: T) => boolean): T | undefined {
    for (const record of this.records.values()) if (test(record)) return record;
    return undefined;
  }

  put(id: string, record: T): T {
    this.journal.write({ t: this.name, id, v: record });
    this.records.set(id, record);
    return record;
  }

  /** Replaces some fields of a record. @throws Error where there is no such record */
  change(id: string, fields: Partial<T>): T {
    const record = this.records.get(id);
    if (!record) throw new Error(`No ${this.name} record "${id}"`);
    return this.put(id, { ...record, ...fields });
  }

  remove(id: string): boolean {
    if (!this.records.has(id)) return false;
    this.journal.write({ t: this.name, id });
    return this.records.delete(id);
  }
}
