import { PortolanError } from '../../model/errors/errors';
import { type Notice, type NotifyEvent, trouble, type Trouble } from '../../model/run/notification';
import { messageOf } from '../../domain/notify/message';
import { notifyReceiver } from '../../domain/notify/receivers';
import { keys } from '../../store/keys';
import type { ActivityDeps } from '../deps';
import { notYet } from '../attempt/failure';
import { attempt, lastProgress, progress, stopSignal } from '../attempt/heartbeat';

/** A receiver that did not take a message after so many attempts is a warning, and the run goes on. */
const ATTEMPTS_MAX = 4;
const AGAIN_MS = 2_000;

/** What a later run that ends well has recovered from. */
const troubles: readonly NotifyEvent[] = ['parked', 'partial', 'failed'];

/** By receiver, as its path in the configuration: the warning where it cannot be notified, null where it was. Neither is tried again. */
type Settled = Record<string, string | null>;

export function createNotificationActivities({
  store,
  notify: receivers,
}: Pick<ActivityDeps, 'store' | 'notify'>) {
  return {
    /**
     * Notifies everybody who wants to know, at least once: a repeat leaves out those that an earlier attempt is known to
     * have reached. Returns a warning for each receiver that could not be notified; never fails a run.
     */
    async notify(notice: Notice): Promise<string[]> {
      if (receivers.length === 0) return [];
      const message = messageOf(notice);
      const settled: Settled = { ...lastProgress<{ settled: Settled }>()?.settled };
      const due = receivers.filter(({ on, setting }) => on.includes(notice.event) && !(setting in settled));
      const missed = await Promise.all(
        due.map(async (receiver) => {
          const failed = await notifyReceiver(receiver, message, stopSignal());
          if (failed?.again) return failed.problem;
          settled[receiver.setting] = failed?.problem ?? null;
          progress({ settled });
          return undefined;
        }),
      );
      const open = missed.filter((problem) => problem !== undefined);
      if (open.length > 0 && attempt() < ATTEMPTS_MAX) throw notYet(open.join('; '), AGAIN_MS * attempt());
      const problems = [...Object.values(settled).filter((problem) => problem !== null), ...open];
      return [
        ...problems.map((problem) => `the notification "${notice.event}" did not arrive: ${problem}`),
        ...(await remember(notice)),
      ];
    },

    /** Whether the route was in trouble whose end somebody wants to know. */
    async wasInTrouble({ route }: Pick<Notice, 'route'>): Promise<boolean> {
      if (!receivers.some(({ on }) => on.includes('recovered'))) return false;
      return (await store.readJson(keys.trouble(route), trouble)) !== undefined;
    },
  };

  /** For the next run of the route, which may recover. A store that cannot take the note now costs that message only. */
  async function remember({ about, event, route, runId }: Notice): Promise<string[]> {
    if (about === 'age') return [];
    const note: Trouble = { runId, event, at: new Date().toISOString() };
    try {
      if (troubles.includes(event)) await store.writeJson(keys.trouble(route), note);
      if (event === 'recovered') await store.remove(keys.trouble(route));
      return [];
    } catch (thrown) {
      const { plainMessage } = PortolanError.from(thrown);
      return [`whether this route recovers will not be known: ${plainMessage}`];
    }
  }
}
