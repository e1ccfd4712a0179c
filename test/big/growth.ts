import { forgetPeak, peakBytes, residentBytes } from '../../bench/process-memory';

/** How far a process grows over what it has when this is made; it tells nothing where the system does not. */
export class Growth {
  private constructor(
    private readonly pid: number,
    private readonly idle: number | undefined,
  ) {}

  static async of(pid: number): Promise<Growth> {
    const growth = new Growth(pid, await residentBytes(pid));
    await forgetPeak(pid);
    return growth;
  }

  /** The most over idle since this was made, or asked last. @format bytes */
  async most(): Promise<number | undefined> {
    const peak = await peakBytes(this.pid);
    await forgetPeak(this.pid);
    return peak === undefined || this.idle === undefined ? undefined : peak - this.idle;
  }
}
