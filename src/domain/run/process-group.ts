import { type ChildProcess, spawn } from 'node:child_process';
import { programEnvironment } from '../../secrets/program-environment';

/** How a program ended. */
export interface Ending {
  /** Its exit status; null where a signal ended it. */
  readonly code: number | null;
  readonly by: NodeJS.Signals | null;
}

/** How a program ended, in words for people: `ended with exit status 3`. */
export const endingText = ({ code, by }: Ending): string =>
  `ended with ${code === null ? `signal ${by ?? '?'}` : `exit status ${code}`}`;

/**
 * Starts a program in a process group of its own, so that it can be ended with everything that it started. No shell is
 * between.
 * @param input on its standard input, which it need not read
 * @param options `variables` are what its environment has besides the open ones
 */
export function startGroup(
  [program, ...args]: readonly [string, ...string[]],
  input: string,
  options: {
    readonly cwd: string;
    readonly variables: Readonly<Record<string, string>>;
    readonly output: 'pipe' | 'ignore';
  },
): ChildProcess {
  const { cwd, variables, output } = options;
  const child = spawn(program, args, {
    ...{ cwd, env: programEnvironment(variables) },
    ...{ detached: true, stdio: ['pipe', output, output] },
  });
  child.stdin?.on('error', () => {}).end(input);
  return child;
}

/** Waits for its end, and ends the whole group once it is to stop. Throws where it could not be started. */
export async function endOfGroup(child: ChildProcess, stop: AbortSignal): Promise<Ending> {
  const end = (): void => killGroup(child);
  stop.addEventListener('abort', end, { once: true });
  if (stop.aborted) end();
  try {
    return await new Promise((resolve, reject) => {
      child.once('error', reject);
      child.once('exit', (code, by) => resolve({ code, by }));
    });
  } finally {
    stop.removeEventListener('abort', end);
  }
}

/** Ends what is left of it. */
export function killGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // It has ended by itself meanwhile.
  }
}
