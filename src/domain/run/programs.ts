import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { exactDuration } from '../../model/text/words';
import { programEnvironment } from '../../secrets/secret';

/** How a program ended. */
interface ProgramEnd {
  readonly how: 'ended' | 'stopped' | 'not started';
  /** Why it has failed, as text after its name; absent if it ended with exit status 0. */
  readonly problem?: string;
}

/** What a program left running may hold its output open: so long the rest is waited for. */
const REST_WITHIN_MS = 1_000;

/**
 * Starts a program of portolan.yaml without a shell, in a process group of its own, and stops it with everything that it
 * started once its time is over.
 * @param options `input` is written to its standard input, which it need not read. Its environment has only `variables`
 *   and the open ones. With `output`, what it prints is passed on, and what it left running is ended too
 */
export async function runProgram(
  [program, ...args]: readonly [string, ...string[]],
  options: {
    readonly input: object;
    readonly cwd: string;
    readonly variables: Readonly<Record<string, string>>;
    readonly withinMs: number;
    readonly signal?: AbortSignal;
    readonly output?: (from: 'stdout' | 'stderr', piece: Buffer) => void;
  },
): Promise<ProgramEnd> {
  const { input, cwd, variables, withinMs, signal, output } = options;
  const limit = AbortSignal.timeout(withinMs);
  const stop = signal === undefined ? limit : AbortSignal.any([limit, signal]);
  const printed = output ? 'pipe' : 'ignore';
  try {
    const child = spawn(program, args, {
      cwd,
      env: programEnvironment(variables),
      detached: true,
      stdio: ['pipe', printed, printed],
    });
    child.stdin?.on('error', () => {}).end(`${JSON.stringify(input)}\n`);
    child.stdout?.on('data', (piece: Buffer) => output?.('stdout', piece));
    child.stderr?.on('data', (piece: Buffer) => output?.('stderr', piece));
    const closed = new Promise((resolve) => child.once('close', resolve));
    const end = (): void => killGroup(child.pid);
    stop.addEventListener('abort', end, { once: true });
    if (stop.aborted) end();
    const [code, by] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null];
    stop.removeEventListener('abort', end);
    if (output) {
      end();
      await Promise.race([closed, sleep(REST_WITHIN_MS, undefined, { ref: false })]);
      child.stdout?.destroy();
      child.stderr?.destroy();
    }
    if (limit.aborted) return { how: 'stopped', problem: `did not finish within ${exactDuration(withinMs)}` };
    if (code === 0) return { how: 'ended' };
    return { how: 'ended', problem: `ended with ${code === null ? `signal ${by}` : `exit status ${code}`}` };
  } catch (thrown) {
    const { code } = thrown as NodeJS.ErrnoException;
    return { how: 'not started', problem: `cannot be started (${code ?? 'unknown cause'})` };
  }
}

function killGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // It has ended by itself meanwhile.
  }
}
