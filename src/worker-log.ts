import pino, { type Logger } from 'pino';
import { maskSecrets } from './model/mask-secrets';

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
