import pino, { type Logger } from 'pino';

/** Parameters and headers whose value is a secret, in a query, a form, JSON or a header line. */
const secretNames = [
  'token',
  'password',
  'key',
  'api[-_]?key',
  'client[-_]?secret',
  'access[-_]?token',
  'refresh[-_]?token',
  'x-esri-authorization',
  'authorization',
  'X-Amz-Signature',
  'X-Amz-Credential',
  'sig',
].join('|');

const assigned = new RegExp(
  `((?:^|[?&\\s"'\\\\{,])(?:${secretNames})\\\\?["']?\\s*[=:]\\s*\\\\?["']?)(?:Bearer\\s+)?[^\\s&"'\\\\,}]+`,
  'gi',
);
const bearer = /\bBearer\s+[\w.~+/=-]+/g;

/** Puts `***` in place of what looks like a secret. Callers keep secrets out of their words; this is the last fence. */
export const maskSecrets = (line: string): string =>
  line.replace(assigned, '$1***').replace(bearer, 'Bearer ***');

/** A worker's log: one JSON line an event, on stderr unless `destination` says otherwise. */
export const createWorkerLog = (
  options: { level?: pino.LevelWithSilent; destination?: pino.DestinationStream } = {},
): Logger =>
  pino(
    {
      name: 'portolan',
      level: options.level ?? 'info',
      base: undefined,
      timestamp: pino.stdTimeFunctions.isoTime,
      hooks: { streamWrite: maskSecrets },
    },
    options.destination ?? pino.destination({ dest: 2, sync: true }),
  );
