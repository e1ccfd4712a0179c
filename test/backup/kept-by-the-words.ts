/** A snapshot as whoever reads the README sees it. */
export interface Kept {
  readonly id: string;
  /** @format milliseconds since the epoch */
  readonly takenAt: number;
  /** It holds all that was asked for, and something. */
  readonly isGood: boolean;
  readonly isPinned: boolean;
}

/** Rules of `routes.NAME.backup.keep` that the nights of these tests go by. */
export interface Rules {
  readonly last: number;
  readonly daily: number;
  readonly weekly: number;
  readonly monthly: number;
}

const dayMs = 86_400_000;
/** A Monday at midnight, UTC. */
const someMonday = Date.UTC(2024, 0, 1);

const dayOf = (at: number) => Math.floor(at / dayMs);
const weekOf = (at: number) => Math.floor((at - someMonday) / (7 * dayMs));
const monthOf = (at: number) => new Date(at).toUTCString().slice(8, 16);

/**
 * Which of all the snapshots that a route ever took are there, by the words of the README ("What stays and what
 * goes") and nothing of Portolan's code: counted over all nights at once, not night by night.
 * @param taken oldest first; the last of them is the one after which was tidied
 */
export function keptByTheWords(taken: readonly Kept[], rules: Rules): string[] {
  const good = taken.filter(({ isGood }) => isGood);
  const newestOfEach = (unitOf: (at: number) => unknown, most: number): Kept[] => {
    // A later one of the same day, week or month takes its place, which is then the last of them.
    const newest = new Map<unknown, Kept>();
    for (const one of good) {
      newest.delete(unitOf(one.takenAt));
      newest.set(unitOf(one.takenAt), one);
    }
    return [...newest.values()].slice(-most);
  };
  const lastGood = good.slice(-1);
  const stays = new Set([
    ...taken.filter(({ isPinned }) => isPinned),
    ...lastGood,
    ...good.slice(-rules.last),
    ...newestOfEach(dayOf, rules.daily),
    ...newestOfEach(weekOf, rules.weekly),
    ...newestOfEach(monthOf, rules.monthly),
    // An incomplete one stays until there is a newer good one.
    ...taken.filter((one) => !one.isGood && !good.some(({ takenAt }) => takenAt > one.takenAt)),
  ]);
  return taken.filter((one) => stays.has(one)).map(({ id }) => id);
}
