import { appendFileSync } from 'node:fs';

/** One request as it was answered. Holds no token, password or key. */
export interface RequestLogEntry {
  readonly at: string;
  readonly method: string;
  readonly path: string;
  /** Name of the route, such as `group.export`; `none` where no route matched. */
  readonly operation: string;
  readonly params: Readonly<Record<string, string>>;
  /** Bytes of the request's body. */
  readonly bytes: number;
  /** HTTP status; 0 where the connection was reset or left hanging. */
  readonly status: number;
  /** Code of the error in the answer, if it was one. */
  readonly errorCode?: number;
  readonly user?: string;
  /** Request headers that matter to transfers. */
  readonly headers: Readonly<Record<string, string>>;
  /** How the token came. */
  readonly tokenBy?: 'query' | 'form' | 'header';
  readonly referer?: string;
  /** Fault that was played. */
  readonly fault?: string;
  readonly ms: number;
}

/** The log of requests: in memory for tests, and as NDJSON in the state folder. */
export class RequestLog {
  private readonly entries: RequestLogEntry[] = [];

  constructor(private readonly path: string) {}

  add(entry: RequestLogEntry): void {
    this.entries.push(entry);
    appendFileSync(this.path, `${JSON.stringify(entry)}\n`);
  }

  all(): RequestLogEntry[] {
    return [...this.entries];
  }

  clear(): void {
    this.entries.length = 0;
  }
}
