import { z } from 'zod';
import type { WriteContext } from '../run/run-sources';
import { noteDone } from './note-done';
import { handleOf, type ServerSchedule, untilListed } from './server-schedules';

export const paused = z.object({ name: z.string(), paused: z.literal(true), note: z.string() });
export const unpaused = z.object({
  name: z.string(),
  paused: z.literal(false),
  next: z.string().optional().describe('next start, ISO 8601'),
});
export type Paused = z.infer<typeof paused>;
export type Unpaused = z.infer<typeof unpaused>;

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

/** Pauses it until it is resumed; running runs continue. */
export async function pauseSchedule(
  sources: WriteContext,
  { id, name }: ServerSchedule,
  reason: string,
): Promise<Paused> {
  const { temporal, asker } = sources;
  const note = pauseNote(asker.who, reason);
  await handleOf(temporal, id).pause(note);
  await untilListed(sources, (all) => all.some((each) => each.id === id && each.state.note === note));
  await noteDone(sources, 'pause', name, reason);
  return { name, paused: true, note };
}

/** Ends a pause. Missed starts are not made up. */
export async function resumeSchedule(sources: WriteContext, { id, name }: ServerSchedule): Promise<Unpaused> {
  const handle = handleOf(sources.temporal, id);
  // Not `unpause`, which writes its own note.
  await handle.update((before) => ({
    ...before,
    state: { ...before.state, paused: false, note: undefined },
  }));
  await untilListed(sources, (all) => all.some((each) => each.id === id && !each.state.paused));
  await noteDone(sources, 'resume', name);
  const [next] = (await handle.describe()).info.nextActionTimes;
  return { name, paused: false, next: next?.toISOString() };
}
