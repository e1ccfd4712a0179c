import { readFile, writeFile } from 'node:fs/promises';

/**
 * Resident memory of a process as Linux counts it; undefined on systems without /proc. @format bytes
 */
export const residentBytes = (pid: number): Promise<number | undefined> => statusOf(pid, 'VmRSS');

/** The most that it has had since it started, or since `forgetPeak`. @format bytes */
export const peakBytes = (pid: number): Promise<number | undefined> => statusOf(pid, 'VmHWM');

/** Lets the peak begin anew from what is resident now. */
export async function forgetPeak(pid: number): Promise<void> {
  await writeFile(`/proc/${pid}/clear_refs`, '5').catch(() => undefined);
}

async function statusOf(pid: number, field: string): Promise<number | undefined> {
  const text = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  const kilobytes = new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(text)?.[1];
  return kilobytes === undefined ? undefined : Number(kilobytes) * 1024;
}
