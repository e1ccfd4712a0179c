import { readFileSync } from 'node:fs';
import { z } from 'zod';

const action = z.union([
  /** The connection is cut without a response. */
  z.literal('reset'),
  /** No response ever comes. */
  z.literal('hang'),
  /** The response waits until `Faults.release` is called. */
  z.literal('hold'),
  /** A web page instead of data, with HTTP 200. */
  z.literal('html'),
  /** Every token issued so far expires. */
  z.literal('expireToken'),
  /** HTTP status from a front-end server; `retryAfter` in seconds. */
  z.strictObject({ status: z.number().int(), retryAfter: z.number().optional() }),
  /** An error with HTTP 200. */
  z.strictObject({ error: z.strictObject({ code: z.number(), message: z.string().optional() }) }),
  /** The connection is cut after this many bytes of the response body. */
  z.strictObject({ cut: z.number().int() }),
  /** The connection is cut after this many bytes of the request body. */
  z.strictObject({ cutRequest: z.number().int() }),
  /** The response waits, in milliseconds. */
  z.strictObject({ delay: z.number() }),
  /** The response body is sent at this many bytes per second. */
  z.strictObject({ slow: z.number().int().positive() }),
]);
export type FaultAction = z.infer<typeof action>;

const match = z.strictObject({
  method: z.string().optional(),
  /** Regular expression on the path. */
  path: z.string().optional(),
  /** Name of the operation, such as `group.export`; `*` at the end matches anything. */
  operation: z.string().optional(),
  /** Parameters that must have these values. */
  params: z.record(z.string(), z.string()).optional(),
});
type Match = z.infer<typeof match>;

const rule = z.strictObject({
  match,
  /** Requests only count after one of these. */
  since: match.optional(),
  /** Which of the matching requests, counted from 1. */
  nth: z.union([z.number().int().positive(), z.array(z.number().int().positive())]).optional(),
  /** How many matching requests from the first on; all if neither is set. */
  times: z.number().int().positive().optional(),
  /** Before or after the request is processed. */
  when: z.enum(['before', 'after']).default('before'),
  do: action,
});

const plan = z.strictObject({ rules: z.array(rule) });
export type FaultRule = z.input<typeof rule>;
export type FaultPlan = z.input<typeof plan>;

/** What is about to happen to a request. */
export interface Fault {
  readonly when: 'before' | 'after';
  readonly do: FaultAction;
}

export interface FaultSubject {
  readonly method: string;
  readonly path: string;
  readonly operation: string;
  readonly params?: (name: string) => string | undefined;
}

/** A portal's fault plan and its counters. Rules can be added and removed while the portal runs. */
export class Faults {
  private rules: { rule: z.infer<typeof rule>; asleep: boolean; seen: number }[] = [];
  private held: (() => void)[] = [];

  /** @param from a plan, or the path of its JSON file @throws Error that describes what is invalid */
  constructor(from?: string | FaultPlan) {
    if (from === undefined) return;
    const raw: unknown = typeof from === 'string' ? JSON.parse(readFileSync(from, 'utf8')) : from;
    const parsed = plan.safeParse(raw);
    if (!parsed.success) throw new Error(`The fault plan is not valid:\n${z.prettifyError(parsed.error)}`);
    for (const one of parsed.data.rules) this.add(one);
  }

  add(...rules: FaultRule[]): void {
    for (const one of rules) {
      this.rules.push({ rule: rule.parse(one), asleep: one.since !== undefined, seen: 0 });
    }
  }

  /** Removes all rules and releases held requests. */
  clear(): void {
    this.rules = [];
    this.release();
  }

  /** Returns once held requests are released. */
  hold(): Promise<void> {
    return new Promise((resolve) => this.held.push(resolve));
  }

  /** Number of held requests. */
  get holding(): number {
    return this.held.length;
  }

  /** Releases all held requests. */
  release(): void {
    for (const goOn of this.held.splice(0)) goOn();
  }

  /**
   * Faults for this request; each matching rule counts it. Called twice: before the body is read, for rules without
   * parameters, and then with parameters for the others.
   */
  take(subject: FaultSubject): Fault[] {
    const due: Fault[] = [];
    for (const entry of this.rules) {
      const { rule: one } = entry;
      if (entry.asleep) {
        entry.asleep = one.since !== undefined && !matches(one.since, subject);
        continue;
      }
      if (!matches(one.match, subject)) continue;
      entry.seen += 1;
      if (isDue(one, entry.seen)) due.push({ when: one.when, do: one.do });
    }
    return due;
  }
}

function matches(match: Match, subject: FaultSubject): boolean {
  if ((match.params !== undefined) !== (subject.params !== undefined)) return false;
  if (match.method && match.method.toUpperCase() !== subject.method) return false;
  if (match.path && !new RegExp(match.path).test(subject.path)) return false;
  if (match.operation?.endsWith('*')) {
    if (!subject.operation.startsWith(match.operation.slice(0, -1))) return false;
  } else if (match.operation && match.operation !== subject.operation) return false;
  return Object.entries(match.params ?? {}).every(([name, value]) => subject.params?.(name) === value);
}

function isDue(one: z.infer<typeof rule>, seen: number): boolean {
  if (one.nth !== undefined) return [one.nth].flat().includes(seen);
  return one.times === undefined || seen <= one.times;
}
