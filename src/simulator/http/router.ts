import type { Call } from './call';
import type { Reply } from './reply';

export type Handler = (call: Call) => Reply | Promise<Reply>;

export interface Route {
  /** Name of the route in fault plans and logs. */
  readonly operation: string;
  readonly method: 'GET' | 'POST' | 'both';
  readonly pattern: string;
  readonly handler: Handler;
  /** The route reads `f` in its own way, or not at all. */
  readonly ownFormat?: boolean;
}

export interface Match {
  readonly route: Route;
  readonly path: Readonly<Record<string, string>>;
}

/** Reads accept GET and POST. */
export const read = (operation: string, pattern: string, handler: Handler): Route => ({
  operation,
  method: 'both',
  pattern,
  handler,
});

export const write = (operation: string, pattern: string, handler: Handler): Route => ({
  operation,
  method: 'POST',
  pattern,
  handler,
});

/** Finds routes by path. `:name` matches one segment, `*name` at the end all that follow. */
export class Router {
  private readonly compiled: readonly { route: Route; regex: RegExp }[];

  constructor(routes: readonly Route[]) {
    this.compiled = routes.map((route) => ({ route, regex: compile(route.pattern) }));
  }

  /** A trailing slash makes no difference. */
  match(method: string, pathname: string): Match | undefined {
    const path = pathname.replace(/\/+$/, '');
    for (const { route, regex } of this.compiled) {
      const found = regex.exec(path);
      const allowed =
        route.method === 'both' ? method !== 'PUT' && method !== 'DELETE' : route.method === method;
      if (found && allowed) return { route, path: decode(found.groups) };
    }
    return undefined;
  }
}

function compile(pattern: string): RegExp {
  const source = pattern
    .split('/')
    .map((part) => {
      if (part.startsWith(':')) return `(?<${part.slice(1)}>[^/]+)`;
      if (part.startsWith('*')) return `(?<${part.slice(1)}>.+)`;
      return part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
    })
    .join('/');
  return new RegExp(`^${source}$`, 'i');
}

function decode(groups: Record<string, string> | undefined): Record<string, string> {
  return Object.fromEntries(Object.entries(groups ?? {}).map(([name, value]) => [name, safeDecode(value)]));
}

function safeDecode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
