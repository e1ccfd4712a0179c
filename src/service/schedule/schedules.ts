import type { scheduleOperations } from '../../contract/schedules';
import { scheduledKinds } from '../../model/schedule/schedule';
import type { Context, Handlers } from '../context';
import type { ReadContext } from '../run/run-sources';
import { noteDone } from './note-done';
import { readDetail, scheduleRows } from './schedule-rows';
import {
  findSchedule,
  handleOf,
  type ServerSchedule,
  startOfSchedule,
  untilListed,
} from './server-schedules';
import { triggerSchedule } from './trigger-schedule';

/** Temporal returns the last ten runs. */
const ALL_RUNS = 10;

export const scheduleHandlers: Handlers<typeof scheduleOperations> = {
  listSchedules: (context) => scheduleRows(context, { runs: 1 }),

  readSchedule: async (context, { schedule }) =>
    await readDetail(context, await findSchedule(context.temporal, context.config, schedule), ALL_RUNS),

  async pauseSchedule(context, { schedule, reason }) {
    const { id, name } = await findOwnSchedule(context, schedule);
    const note = pauseNote(context.asker.who, reason);
    await handleOf(context.temporal, id).pause(note);
    await untilListed(context, (all) => all.some((each) => each.id === id && each.state.note === note));
    await noteDone(context, 'pause', name, reason);
    return { name, paused: true, note };
  },

  async resumeSchedule(context, { schedule }) {
    const { id, name } = await findOwnSchedule(context, schedule);
    const handle = handleOf(context.temporal, id);
    // Not `unpause`, which writes its own note.
    await handle.update((before) => ({
      ...before,
      state: { ...before.state, paused: false, note: undefined },
    }));
    await untilListed(context, (all) => all.some((each) => each.id === id && !each.state.paused));
    await noteDone(context, 'resume', name);
    const [next] = (await handle.describe()).info.nextActionTimes;
    return { name, paused: false, next: next?.toISOString() };
  },

  async triggerSchedule(context, { schedule, overlap }) {
    const runId = await triggerSchedule(context, await findOwnSchedule(context, schedule), overlap);
    return { name: schedule, runId };
  },

  async applySchedules({ config, temporal, may, say }, request) {
    if (!request.dryRun) {
      may.have('operate');
      may.changeShared();
    }
    const { applySchedules } = await import('./apply-schedules.js');
    return await applySchedules({ config, temporal }, request, say);
  },
};

/**
 * The schedule of that name, where the caller may change what it starts: by what the server has, which may be of another
 * route than the file says by now. Throws `SCHEDULE_NOT_FOUND`.
 */
async function findOwnSchedule(
  { temporal, config, may }: Required<ReadContext> & Pick<Context, 'may'>,
  name: string,
): Promise<ServerSchedule> {
  const schedule = await findSchedule(temporal, config, name);
  const { kind, route } = startOfSchedule(schedule);
  const known = scheduledKinds.find((each) => each === kind);
  // What another tool has made says of itself what it likes.
  if (!schedule.made || known === undefined || route === undefined) may.changeShared();
  else may.changeRun({ kind: known, route: { name: route } });
  return schedule;
}

/** Longest schedule note in Temporal. @format bytes */
const NOTE_MAX = 1_000;

/** The note with who paused a schedule and why; a long reason is cut here, but not in the audit. */
function pauseNote(who: string, reason: string): string {
  const note = Buffer.from(`paused by ${who}: ${reason}`);
  if (note.length <= NOTE_MAX) return note.toString();
  // A character that was cut in two becomes U+FFFD.
  const kept = note.subarray(0, NOTE_MAX - Buffer.byteLength('…')).toString();
  return `${kept.replace(/\uFFFD$/, '')}…`;
}
