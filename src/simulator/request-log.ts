import { appendFileSync } from 'node:fs';

/** A request and its response. Contains no token, password or key. */
export interface RequestLogEntry {
  readonly at: string;
  readonly method: string;
  readonly path: string;
  /** Name of the route, such as `group.export`; `none` if no route matched. */
  readonly operation: string;
  readonly params: Readonly<Record<string, string>>;
  /** Length of the request body. */
  readonly bytes: number;
  /** HTTP status; 0 if the connection was reset or left open. */
  readonly status: number;
  /** Error code of the response, if any. */
  readonly errorCode?: number;
  readonly user?: string;
  /** Request headers relevant to transfers. */
  readonly headers: Readonly<Record<string, string>>;
  /** How the token was sent. */
  readonly tokenBy?: 'query' | 'form' | 'header';
  readonly referer?: string;
  /** Fault that was applied. */
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
