import { readFileSync } from 'node:fs';
import { z } from 'zod';

const action = z.union([
  /** The connection is cut without an answer. */
  z.literal('reset'),
  /** No answer ever comes. */
  z.literal('hang'),
  /** The answer waits until `Faults.release` is called. */
  z.literal('hold'),
  /** A page in place of data, in a 200. */
  z.literal('html'),
  /** Every token given out so far is expired. */
  z.literal('expireToken'),
  /** HTTP status from a front-end server; `retryAfter` in seconds. */
  z.strictObject({ status: z.number().int(), retryAfter: z.number().optional() }),
  /** Error in a 200. */
  z.strictObject({ error: z.strictObject({ code: z.number(), message: z.string().optional() }) }),
  /** The answer's body ends after so many bytes, by a cut connection. */
  z.strictObject({ cut: z.number().int() }),
  /** The connection is cut after so many bytes of the request's body. */
  z.strictObject({ cutRequest: z.number().int() }),
  /** The answer waits, in milliseconds. */
  z.strictObject({ delay: z.number() }),
  /** The answer's body comes at so many bytes a second. */
  z.strictObject({ slow: z.number().int().positive() }),
]);
export type FaultAction = z.infer<typeof action>;

const match = z.strictObject({
  method: z.string().optional(),
  /** Regular expression on the path. */
  path: z.string().optional(),
  /** Name of the operation, such as `group.export`; `*` at the end stands for anything. */
  operation: z.string().optional(),
  /** Parameters that must have these values. */
  params: z.record(z.string(), z.string()).optional(),
});
type Match = z.infer<typeof match>;

const rule = z.strictObject({
  match,
  /** Requests count only once one of these has come. */
  since: match.optional(),
  /** Which of the matching requests, counted from 1. */
  nth: z.union([z.number().int().positive(), z.array(z.number().int().positive())]).optional(),
  /** How many of the matching requests from the first one on; all where neither is given. */
  times: z.number().int().positive().optional(),
  /** Before or after the work of the request. */
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

/** The fault plan of a portal with its counters. Rules may be added and dropped while the portal runs. */
export class Faults {
  private rules: { rule: z.infer<typeof rule>; asleep: boolean; seen: number }[] = [];
  private held: (() => void)[] = [];

  /** @param from a plan, or the path of a JSON file that holds one @throws Error that says what is wrong with it */
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

  /** Drops all rules, and lets go on what one of them holds. */
  clear(): void {
    this.rules = [];
    this.release();
  }

  /** Returns once what is held may go on. */
  hold(): Promise<void> {
    return new Promise((resolve) => this.held.push(resolve));
  }

  /** How many requests are held. */
  get holding(): number {
    return this.held.length;
  }

  /** Lets all that is held go on. */
  release(): void {
    for (const goOn of this.held.splice(0)) goOn();
  }

  /**
   * Faults for this request; each rule that matches counts it. Asked twice: before the body is read for the
   * rules that need no parameters, then with the parameters for those that do.
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
