import type { RequestLogEntry } from '../../src/simulator/request-log';
import type { Row, Seen, Wire } from './row';

export const wiresOf = ({ wire = [] }: Pick<Row, 'wire'>): readonly Wire[] =>
  [wire].flat<readonly (Wire | readonly Wire[])[]>();

/** Which of a row's evidence the log does not hold, in words; empty where all of it is there. */
export const lackingOnWire = (row: Pick<Row, 'wire'>, log: readonly RequestLogEntry[]): string[] =>
  wiresOf(row)
    .filter((wire) => !holds(wire, log))
    .map(wireWords);

function holds(wire: Wire, log: readonly RequestLogEntry[]): boolean {
  if ('unsent' in wire) return log.every(({ operation }) => operation !== wire.unsent);
  return log.some((entry) => isSeen(wire, entry));
}

const base = '/portal/sharing/rest';

const isSeen = (wire: Seen, entry: RequestLogEntry): boolean =>
  entry.operation === wire.operation &&
  (wire.method === undefined || entry.method === wire.method) &&
  (wire.path === undefined || patternOf(wire.path).test(entry.path)) &&
  Object.entries(wire.params ?? {}).every(([name, said]) => fits(entry.params[name], said)) &&
  (wire.without ?? []).every((name) => entry.params[name] === undefined) &&
  (wire.body === undefined || (entry.headers['content-type'] ?? '').startsWith(wire.body)) &&
  (wire.tokenBy === undefined || entry.tokenBy === wire.tokenBy) &&
  (wire.user === undefined || entry.user === wire.user) &&
  entry.status === (wire.status ?? 200) &&
  entry.errorCode === wire.errorCode;

const patternOf = (path: string): RegExp =>
  new RegExp(`^${base}${path.replace(/[.]/g, '\\.').replace(/<[^>]+>/g, '[^/]+')}$`);

const fits = (came: string | undefined, said: string | RegExp): boolean =>
  came !== undefined && (typeof said === 'string' ? came === said : said.test(came));

/** Evidence as text, such as `POST group.export` with `async=true`: 200. */
export function wireWords(wire: Wire): string {
  if ('unsent' in wire) return `no \`${wire.unsent}\``;
  const { operation, method, path, params = {}, without = [], body, tokenBy, user } = wire;
  const named = Object.entries(params).map(([name, said]) =>
    typeof said === 'string' && said.length < 30 ? `\`${name}=${said}\`` : `\`${name}\``,
  );
  const parts = [
    `\`${method ? `${method} ` : ''}${operation}\``,
    path && `at \`${path}\``,
    named.length > 0 && `with ${named.join(', ')}`,
    without.length > 0 && `without ${without.map((name) => `\`${name}\``).join(', ')}`,
    body && `as \`${body}\``,
    tokenBy && `token by ${tokenBy}`,
    user && `by \`${user}\``,
  ].filter((part) => part !== undefined && part !== false && part !== '');
  const ending = [String(wire.status ?? 200), ...(wire.errorCode ? [`error ${wire.errorCode}`] : [])];
  return `${parts.join(' ')}: ${ending.join(', ')}`;
}
