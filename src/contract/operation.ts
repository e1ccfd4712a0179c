import { z } from 'zod';
import type { Right } from '../model/rights';

/** What is opened for an operation: the store alone, Temporal too where it can be reached, or both. */
export type Needs = 'store' | 'readable' | 'temporal';

/** How an operation is watched. */
export interface Watch {
  /** Name of the event. */
  readonly event: string;
  /** How often a server reads it, for all listeners. @format milliseconds */
  readonly everyMs: number;
  /** Whether this answer is the last one. @default none is */
  isOver?(answer: unknown): boolean;
  /** The operation that resolves a name such as `latest`, and the input with what it found. @default the given input */
  readonly meant?: { readonly by: string; input(answer: unknown): Readonly<Record<string, unknown>> };
}

/** One operation of Portolan, the same on the command line, over HTTP and in a page. */
export interface Operation {
  /** Method, and path below `/api/v1`. */
  readonly at: `${'GET' | 'POST'} /${string}`;
  readonly summary: string;
  readonly description?: string;
  /** Fields named in the path are its parameters. The others are the query of a GET and the body of a POST. */
  readonly input: z.ZodObject;
  readonly answer: z.ZodType;
  /** Needed to ask at all. A handler that changes something also asks `may` about what it changes. */
  readonly right: Right;
  readonly needs: Needs;
  /** Takes one of the caller's two turns at portals or at the whole store, always or for this input. */
  readonly turn?: true | ((input: Readonly<Record<string, unknown>>) => boolean);
  /** Time limit over HTTP, if it takes longer than others. @format milliseconds */
  readonly withinMs?: number;
  /** A POST that changes nothing. One with `dryRun` needs no mention. */
  readonly isLook?: true;
  /** HTTP status of the answer. @default 200 */
  readonly status?: 202;
  /** What its handler says before it answers; a client of a server takes it from the answer. */
  says?(answer: unknown): readonly string[];
  /** Starts a run: takes `Idempotency-Key` and `attended`; answers 202, or 200 if the key has started it before. */
  readonly starts?: true;
  /** Answered repeatedly: each changed answer is sent as an event. */
  readonly watch?: Watch;
  /** The list of the answer that continues at `next`, if the input has `paging`; a client collects it. */
  readonly pages?: string;
  /**
   * Name of the events of an operation that answers with a stream, each of them an `answer`. A stream takes a turn. What
   * refuses it is thrown before its first event.
   */
  readonly stream?: string;
}

/** Whether asking for this changes nothing, so that it can be repeated. */
export const changesNothing = (
  { at, isLook }: Operation,
  input: Readonly<Record<string, unknown>>,
): boolean => at.startsWith('GET') || isLook === true || input['dryRun'] === true;

export const operation = <const O extends Operation>(described: O): O => described;

/** Where a server has its operations. */
export const API = '/api/v1';

/** Rows that a server sends at most at a time. */
export const PAGE_MAX = 500;

/** Request IDs that fit in the header `Idempotency-Key`; others go into the query. */
export const HEADER_KEY = /^[\x21-\x7e]{1,200}$/;

/** Fields of an operation that answers page by page. Without a limit, a caller on this machine gets everything. */
export const paging = {
  limit: z.number().int().min(1).optional().describe('rows on a page. @default 50 over HTTP, at most 500'),
  cursor: z.string().max(400).optional().describe('`next` of the previous page'),
};

/** Cursor of the next page. */
export const next = z.string().max(400).optional().describe('cursor of the next page');

/** How something is asked for, besides its input. */
export interface How {
  readonly signal?: AbortSignal;
  /** Told what was done before the answer. @default nobody is told */
  readonly say?: (words: string) => void;
  /** Repeating a start with the same ID returns the same run. */
  readonly requestId?: string;
  /** The caller sees the plan of the run it starts, and can decide. @default false */
  readonly attended?: boolean;
}

type Given<O extends Operation> = z.input<O['input']>;
type Asked<O extends Operation> =
  Record<never, never> extends Given<O> ? [input?: Given<O>, how?: How] : [input: Given<O>, how?: How];

/** Operations as functions. What is watched yields its answers until the last one, or until the signal fires. */
export type Api<T extends Readonly<Record<string, Operation>>> = {
  readonly [K in keyof T]: (
    ...asked: Asked<T[K]>
  ) => T[K] extends { readonly stream: string } | { readonly watch: Watch }
    ? AsyncGenerator<z.output<T[K]['answer']>>
    : Promise<z.output<T[K]['answer']>>;
};
