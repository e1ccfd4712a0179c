import { badRequest } from '../errors';

/** A file of a multipart request, in the state folder until a handler takes it. */
export interface UploadedFile {
  readonly path: string;
  readonly filename: string;
  readonly bytes: number;
}

/** Parameters of a request, however sent. Empty text counts as absent. */
export class Params {
  constructor(
    private readonly values: ReadonlyMap<string, string>,
    readonly files: ReadonlyMap<string, UploadedFile>,
    private readonly queryNames: ReadonlySet<string>,
  ) {}

  /** Whether the parameter is in the URL. */
  inQuery(name: string): boolean {
    return this.queryNames.has(name);
  }

  text(name: string): string | undefined {
    const value = this.values.get(name)?.trim();
    return value === undefined || value === '' ? undefined : value;
  }

  /** Without trimming. */
  verbatim(name: string): string | undefined {
    const value = this.values.get(name);
    return value === '' ? undefined : value;
  }

  has(name: string): boolean {
    return this.values.has(name);
  }

  /** `true` or `false` in any case, also in JSON quotes. */
  flag(name: string): boolean | undefined {
    const value = this.text(name)
      ?.replace(/^"(.*)"$/, '$1')
      .toLowerCase();
    if (value === undefined) return undefined;
    if (value === 'true') return true;
    if (value === 'false') return false;
    throw badRequest(`'${name}' must be true or false.`);
  }

  integer(name: string): number | undefined {
    const value = this.text(name);
    if (value === undefined) return undefined;
    const number = Number(value);
    if (!Number.isInteger(number)) throw badRequest(`'${name}' must be an integer.`);
    return number;
  }

  list(name: string): string[] | undefined {
    const parts = this.text(name)
      ?.split(',')
      .map((part) => part.trim())
      .filter((part) => part !== '');
    return parts && parts.length > 0 ? parts : undefined;
  }

  json(name: string): unknown {
    const value = this.text(name);
    if (value === undefined) return undefined;
    try {
      return JSON.parse(value) as unknown;
    } catch {
      throw badRequest(`'${name}' is not valid JSON.`);
    }
  }

  /** For the request log, with secrets masked. */
  masked(): Record<string, string> {
    const shown: Record<string, string> = {};
    for (const [name, value] of this.values) {
      shown[name] = secretNames.has(name) ? '***' : value.length > 300 ? `${value.slice(0, 300)}…` : value;
    }
    for (const [name, file] of this.files) shown[name] = `(file ${file.filename}, ${file.bytes} bytes)`;
    return shown;
  }
}

const secretNames = new Set([
  'token',
  'password',
  'client_secret',
  'key',
  'refresh_token',
  'code',
  'code_verifier',
  'auth_token',
  'signature',
  'servicePassword',
]);

/** Up to 100 rows, from `start`, counted from 1 (docs/reference/portal-interface.md, "Listings"). */
export interface Page {
  readonly start: number;
  readonly num: number;
}

export function pageOf(params: Params, defaultNum = 10): Page {
  const start = Math.max(1, params.integer('start') ?? 1);
  const num = Math.min(100, Math.max(0, params.integer('num') ?? defaultNum));
  return { start, num };
}

export function cutPage<T>(rows: readonly T[], page: Page): { info: PageInfo; rows: T[] } {
  const cut = rows.slice(page.start - 1, page.start - 1 + page.num);
  const next = page.start + cut.length;
  const more = cut.length > 0 && next <= rows.length;
  return {
    info: { total: rows.length, start: page.start, num: cut.length, nextStart: more ? next : -1 },
    rows: cut,
  };
}

export interface PageInfo {
  readonly total: number;
  readonly start: number;
  readonly num: number;
  readonly nextStart: number;
}
