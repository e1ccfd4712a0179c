import { readdir } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { residentBytes } from '../../bench/process-memory';

export interface Sample {
  /** Runs that were over. */
  readonly over: number;
  /** @format bytes */
  readonly resident: number;
  /** Files and connections that the process had open. */
  readonly open: number;
}

const EVERY_MS = 1_000;

/** How much a process has, or nothing where the system has no /proc. */
export async function sample(pid: number, over: number): Promise<Sample[]> {
  const resident = await residentBytes(pid);
  const open = (await readdir(`/proc/${pid}/fd`).catch(() => [])).length;
  return resident === undefined ? [] : [{ over, resident, open }];
}

/** Looks at a process again and again, until `done`. */
export async function watchMemory(pid: number, over: () => number, done: AbortSignal): Promise<Sample[]> {
  const samples: Sample[] = [];
  while (!done.aborted) {
    samples.push(...(await sample(pid, over())));
    await sleep(EVERY_MS, undefined, { signal: done }).catch(() => undefined);
  }
  return samples;
}

export function median(numbers: readonly number[]): number {
  const sorted = [...numbers].sort((one, other) => one - other);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}

/** Medians of the samples, cut into so many stretches by the runs that were over. */
export function stretches(samples: readonly Sample[], from: number, to: number, count: number): Sample[] {
  return Array.from({ length: count }, (_, index) => {
    const [low, high] = [index, index + 1].map((edge) => from + ((to - from) * edge) / count);
    const within = samples.filter(({ over }) => over >= low! && (over < high! || high === to));
    return {
      over: Math.round(high!),
      resident: median(within.map(({ resident }) => resident)),
      open: median(within.map(({ open }) => open)),
    };
  });
}
