import { loadConfig } from '../../config/load-config';
import { findServer } from '../../client/server-address';
import { type BoundStart, notifyingFailedStart } from '../../service/start/failed-start';
import type { Globals } from '../terminal/globals';
import type { Output } from '../terminal/output';
import { withPortolan } from '../terminal/with-portolan';
import { type Following, startAndFollow } from './follow-run';

/** Starts and follows a run that may report to a portal task; the task is also updated if the run cannot start. */
export async function startBound(
  globals: Globals,
  output: Output,
  start: BoundStart,
  following: Following,
): Promise<number> {
  const begin = (onPrepared = (): void => undefined): Promise<number> =>
    withPortolan(globals, (portolan) =>
      startAndFollow(portolan, output, start, {
        ...following,
        onPrepared: () => {
          following.onPrepared?.();
          onPrepared();
        },
      }),
    );
  // A server updates the task itself.
  if (findServer(globals.config)) return await begin();
  const say = (words: string): void =>
    output.note(words.startsWith('warning') ? output.side.colors.yellow(words) : words);
  return await notifyingFailedStart(loadConfig(globals.config), start, say, begin);
}
