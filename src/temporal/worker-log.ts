import pino, { type Logger } from 'pino';
import { escapeUnseen } from '../model/text/plain-text';
import { maskSecrets } from '../model/text/mask-secrets';

/** The log file of a worker, appended to and readable only by its owner; creates its folder. */
export const logFile = (dest: string): pino.DestinationStream =>
  pino.destination({ dest, mkdir: true, mode: 0o600, sync: true });

const withCause = pino.stdSerializers.errWithCause;

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
      // Log an error with its causes under either key.
      serializers: { err: withCause, error: withCause },
      hooks: { streamWrite: (line) => escapeUnseen(maskSecrets(line)) },
    },
    options.destination ?? pino.destination({ dest: 2, sync: true }),
  );
