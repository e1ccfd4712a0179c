import { type ChildProcess, spawn } from 'node:child_process';
import path from 'node:path';

const program = path.join(__dirname, '..', '..', 'dist', 'cli', 'main.js');

export interface Ended {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface ChildOptions {
  readonly cwd: string;
  readonly env?: NodeJS.ProcessEnv;
}

/** The command as people run it: the compiled one, as a process of its own, without a terminal. */
export class Portolan {
  readonly child: ChildProcess;
  readonly ended: Promise<Ended>;
  stdout = '';
  stderr = '';

  constructor(args: readonly string[], options: ChildOptions) {
    this.child = spawn(process.execPath, [program, ...args], {
      cwd: options.cwd,
      // As if it was called by its name, however these tests were.
      env: { ...process.env, npm_command: '', PORTOLAN_CONFIG: '', NO_COLOR: '1', ...options.env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.child.stdout?.on('data', (chunk: Buffer) => (this.stdout += chunk.toString()));
    this.child.stderr?.on('data', (chunk: Buffer) => (this.stderr += chunk.toString()));
    this.ended = new Promise((resolve, reject) => {
      this.child.once('error', reject);
      this.child.once('close', (status) => resolve({ status, stdout: this.stdout, stderr: this.stderr }));
    });
  }

  /** Resolves when it has written these words so often, on either stream. */
  async says(words: string, times = 1): Promise<void> {
    const poll = (): boolean => [this.stdout, this.stderr].some((text) => text.split(words).length > times);
    while (!poll()) {
      if (this.child.exitCode !== null || this.child.signalCode !== null)
        throw new Error(`ended before "${words}":\n${this.stdout}\n${this.stderr}`);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
}

/** Runs a command to its end. */
export const portolan = (args: readonly string[], options: ChildOptions): Promise<Ended> =>
  new Portolan(args, options).ended;
