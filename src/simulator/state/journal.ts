import { closeSync, existsSync, mkdirSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';

/** A line of the journal: a record saved in a table, or deleted if `v` is absent. */
interface Line {
  readonly t: string;
  readonly id: string;
  readonly v?: unknown;
}

interface Attached {
  put(id: string, value: unknown): void;
  remove(id: string): void;
  entries(): Iterable<[string, unknown]>;
}

/**
 * Append-only NDJSON file behind the tables. Lines are written synchronously, so a portal's responses are on disk. At each
 * start the file is rewritten with one line per record.
 */
export class Journal {
  private readonly tables = new Map<string, Attached>();
  private fd: number | undefined;

  constructor(private readonly path: string) {
    mkdirSync(dirname(path), { recursive: true });
  }

  attach(name: string, table: Attached): void {
    this.tables.set(name, table);
  }

  /** Reads what an earlier portal wrote, then opens the journal for writing. */
  open(): void {
    if (existsSync(this.path)) {
      for (const text of readFileSync(this.path, 'utf8').split('\n')) this.replay(text);
    }
    const fresh = `${this.path}.new`;
    this.fd = openSync(fresh, 'w');
    for (const [t, table] of this.tables) for (const [id, v] of table.entries()) this.write({ t, id, v });
    renameSync(fresh, this.path);
  }

  write(line: Line): void {
    if (this.fd === undefined) throw new Error('The portal is closed');
    writeSync(this.fd, `${JSON.stringify(line)}\n`);
  }

  close(): void {
    if (this.fd !== undefined) closeSync(this.fd);
    this.fd = undefined;
  }

  get closed(): boolean {
    return this.fd === undefined;
  }

  private replay(text: string): void {
    const line = parse(text);
    const table = line && this.tables.get(line.t);
    if (!line || !table) return;
    if (line.v === undefined) table.remove(line.id);
    else table.put(line.id, line.v);
  }
}

/** The last line may be cut if the portal was killed while writing; its response was not sent. */
function parse(text: string): Line | undefined {
  if (text === '') return undefined;
  try {
    return JSON.parse(text) as Line;
  } catch {
    return undefined;
  }
}
