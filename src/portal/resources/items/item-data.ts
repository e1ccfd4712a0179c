import { type AnswerContext, jsonOf, statusError } from '../../http/response';
import type { Portal } from '../../client';
import { ERROR_IN_DATA_MAX } from '../../http/limits';
import { storeError } from '../../http/connection';
import { type Opened, readUpTo } from '../../http/opened';
import { toNumber, toRecord } from '../../http/reading';
import { portalError } from '../../http/response-limits';
import type { CallOptions } from '../../http/request';

interface DataStart {
  readonly bytes: Buffer;
  /** Whether `bytes` is all there is. */
  readonly whole: boolean;
  /** Length that the portal names. @format bytes */
  readonly totalBytes?: number;
}

/** The first bytes of an item's data or of a resource. docs/reference/portal-interface.md, "Download" */
export async function readStart(
  portal: Portal,
  { operation, path, maxBytes }: { operation: string; path: string; maxBytes: number },
  options?: CallOptions,
): Promise<DataStart> {
  return portal.open(
    { operation, path },
    async (opened, context) => {
      try {
        const totalBytes = announcedLength(opened);
        const room =
          opened.status >= 400 ? Math.max(maxBytes, ERROR_TEXT_MAX) : Math.max(maxBytes, ERROR_IN_DATA_MAX);
        const { bytes, whole } = await readUpTo(opened, room);
        refuseErrors(opened, bytes, whole, context);
        return { bytes: bytes.subarray(0, maxBytes), whole: whole && bytes.length <= maxBytes, totalBytes };
      } finally {
        opened.deadline.release();
      }
    },
    { timeoutMs: portal.timeouts.call, ...options },
  );
}

/** An error's text is read so far. @format bytes */
export const ERROR_TEXT_MAX = 64 * 1024;

/**
 * Throws what a data answer says has gone wrong: an HTTP status, a small JSON error in a 200, or a page
 * where a file was asked for.
 */
export function refuseErrors(opened: Opened, bytes: Buffer, whole: boolean, context: AnswerContext): void {
  const { status, headers, redirectedToHost } = opened;
  const answer = { status, headers, text: bytes.toString('utf8') };
  if (status >= 400) {
    if (redirectedToHost) throw storeError(answer, context, redirectedToHost);
    jsonOf(answer, context);
    throw statusError(answer, context);
  }
  const isPage = /^text\/html/i.test([headers['content-type']].flat()[0] ?? '') && /^\s*</.test(answer.text);
  if (isPage) {
    const { portal, operation } = context;
    const words = `answered ${operation} with a web page`;
    throw portalError('HTML_RESPONSE', portal, operation, words, { httpStatus: status });
  }
  if (whole && bytes.length <= ERROR_IN_DATA_MAX && holdsError(answer.text)) jsonOf(answer, context);
}

function holdsError(text: string): boolean {
  if (!/^\s*\{/.test(text)) return false;
  try {
    const fields = toRecord(JSON.parse(text));
    return toRecord(fields?.['error']) !== undefined || fields?.['status'] === 'error';
  } catch {
    return false;
  }
}

/** @format bytes */
export const announcedLength = (opened: Opened): number | undefined =>
  toNumber([opened.headers['content-length']].flat()[0]);
