import type { Readable } from 'node:stream';
import type { ZodType } from 'zod';
import type { ErrorCode } from '../../model/errors/error-codes';
import type { ListingSize } from './response-limits';

/** A value of a parameter. Lists are joined with commas; undefined, empty strings and empty lists are not sent. */
export type ParamValue = string | number | boolean | readonly string[] | Verbatim | undefined;

/** A text that is sent even where it is empty. */
export interface Verbatim {
  readonly verbatim: string;
}

export type Params = Readonly<Record<string, ParamValue>>;

/** One call of the portal's REST interface that answers JSON. */
export interface PortalRequest<T> {
  /** Name for logs and errors: resource and verb, such as `group.export`. */
  readonly operation: string;
  /** @default 'GET' */
  readonly method?: 'GET' | 'POST';
  /** Path below the base URL, without a leading slash; see pathOf. */
  readonly path: string;
  /** In the query of a GET, in the body of a POST. `f=json` is always added. */
  readonly params?: Params;
  /** Always in the query. */
  readonly query?: Params;
  /** How the answer is read; what it does not name should be kept (looseObject). */
  readonly schema: ZodType<T>;
  /** How the body of a POST is written. @default 'form' */
  readonly encoding?: 'form' | 'multipart';
  /** A file for the body of a POST; it is then multipart whatever `encoding` says. */
  readonly file?: FilePart;
  /**
   * What the path is below: the base URL, the portal's administration (`…/portaladmin`), or nothing
   * (`path` is then the whole URL of a service). @default 'sharing'
   */
  readonly below?: 'sharing' | 'admin' | 'service';
  /**
   * A refused token, or a page, is no reason to sign in again: the resource may be closed to every token.
   * @default false
   */
  readonly keepsToken?: boolean;
  /** Error code for an answer that says: does not exist or is inaccessible. @default 'NOT_FOUND' */
  readonly missing?: ErrorCode;
  /** `status: "failed"` in the answer is part of a record, not an error. @default false */
  readonly statusIsData?: boolean;
  /** Secret values of the request beyond token and password (a job's key): kept out of every message. */
  readonly secrets?: readonly string[];
}

/** What a function needs of a portal that reads or writes JSON and no file. */
export interface PortalCalls {
  /** @throws PortolanError for everything that is not the answer asked for */
  call<T>(request: PortalRequest<T>, options?: CallOptions): Promise<T>;
}

export interface CallOptions {
  /** @default the portal's own */
  readonly signal?: AbortSignal;
  /** From the call to its last byte, signing in included. @format milliseconds @default the portal's own for a call, none for a file */
  readonly timeoutMs?: number;
  /** Called right before the request goes out, after signing in. What it throws keeps the request back. */
  readonly beforeSending?: () => Promise<void>;
  /** The listing of which the answer is a page. */
  readonly listing?: ListingSize;
}

/** A GET whose answer is a file; see item-data.ts and download.ts. */
export interface OpenRequest {
  readonly operation: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A file, or a stretch of one, that can be read more than once. */
export interface FileSource {
  /** @format bytes */
  readonly size: number;
  /** Bytes from `start` up to, not including, `end`. */
  open(start: number, end: number): Readable;
  /** The same in pieces of which each stands until the next one is asked for. */
  pieces?(start: number, end: number): AsyncIterable<Buffer>;
}

/** A stretch of a file in a multipart body. */
export interface FilePart {
  /** Name of the form field. @default 'file' */
  readonly field?: string;
  readonly filename: string;
  readonly source: FileSource;
  /** @default 0 */
  readonly start?: number;
  /** Exclusive. @default the source's size */
  readonly end?: number;
  /** Told the bytes of the file that have been handed to the connection so far. */
  readonly onProgress?: (sentBytes: number) => void;
}

/** What became of a request, signing in included, once its answer was read or left. It never holds a secret. */
export interface RequestEnd {
  readonly portal: string;
  readonly operation: string;
  readonly method: string;
  /** Without its port. */
  readonly host: string;
  /** @default that of http, or https */
  readonly port?: number;
  /** Without the query; absent where it is not the portal's own. */
  readonly path?: string;
  /** @format milliseconds since the epoch */
  readonly startedAt: number;
  readonly endedAt: number;
  /** HTTP status; absent where no answer came. */
  readonly status?: number;
  /** `error.code` of the answer. */
  readonly portalCode?: number;
  /** Code of the error that the request ended with. */
  readonly error?: ErrorCode;
  /** Of its body. */
  readonly sentBytes?: number;
  /** Of the answer's body; of a file that was read to its end, as the answer announced it. */
  readonly receivedBytes?: number;
}
