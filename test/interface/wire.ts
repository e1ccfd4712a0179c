import type { RequestLogEntry } from '../../src/simulator/request-log';
import type { Row, Seen, Wire } from './row';

/** The evidence of a row that the log does not hold. */
export const missingOnWire = ({ wire = [] }: Pick<Row, 'wire'>, log: readonly RequestLogEntry[]): Wire[] =>
  [wire].flat<readonly (Wire | readonly Wire[])[]>().filter((each) => !isHeld(each, log));

const isHeld = (wire: Wire, log: readonly RequestLogEntry[]) =>
  'unsent' in wire
    ? log.every(({ operation }) => operation !== wire.unsent)
    : log.some((entry) => isSeen(wire, entry));

const base = '/portal/sharing/rest';

const isSeen = (wire: Seen, entry: RequestLogEntry) =>
  entry.operation === wire.operation &&
  (wire.method === undefined || entry.method === wire.method) &&
  (wire.path === undefined || toPattern(wire.path).test(entry.path)) &&
  Object.entries(wire.params ?? {}).every(([name, value]) => matches(entry.params[name], value)) &&
  (wire.without ?? []).every((name) => entry.params[name] === undefined) &&
  (wire.body === undefined || (entry.headers['content-type'] ?? '').startsWith(wire.body)) &&
  (wire.tokenBy === undefined || entry.tokenBy === wire.tokenBy) &&
  (wire.user === undefined || entry.user === wire.user) &&
  entry.status === (wire.status ?? 200) &&
  entry.errorCode === wire.errorCode;

const toPattern = (path: string) =>
  new RegExp(`^${base}${path.replace(/[.]/g, '\\.').replace(/<[^>]+>/g, '[^/]+')}$`);

const matches = (sent: string | undefined, value: string | RegExp) =>
  sent !== undefined && (typeof value === 'string' ? sent === value : value.test(sent));
