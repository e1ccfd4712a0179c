import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import path from 'node:path';

const program = path.join(__dirname, '..', '..', 'dist', 'cli', 'main.js');

/** `portolan worker` as a process of its own, so that its memory is nobody else's. */
export class WorkerProcess {
  private constructor(
    private readonly child: ChildProcess,
    readonly pid: number,
  ) {}

  /** Returns once it polls. @param log file for what it says */
  static async start(config: string, log?: string): Promise<WorkerProcess> {
    const child = spawn(process.execPath, [program, 'worker', '--config', config], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    if (log !== undefined) child.stderr?.pipe(createWriteStream(log));
    let words = '';
    await new Promise<void>((resolve, reject) => {
      child.stderr?.on('data', (chunk: Buffer) => {
        words = `${words}${chunk.toString()}`.slice(-10_000);
        if (/^worker \S+ polls /m.test(words)) resolve();
      });
      child.once('exit', () => reject(new Error(`the worker ended: ${words}`)));
      child.once('error', reject);
    });
    if (child.pid === undefined) throw new Error('the worker has no process id');
    return new WorkerProcess(child, child.pid);
  }

  stop(): Promise<void> {
    return this.end('SIGTERM');
  }

  /** `kill -9`: it says nothing more to anybody. */
  kill(): Promise<void> {
    return this.end('SIGKILL');
  }

  get hasEnded(): boolean {
    return this.child.exitCode !== null || this.child.signalCode !== null;
  }

  private async end(signal: NodeJS.Signals): Promise<void> {
    if (this.hasEnded) return;
    const ended = once(this.child, 'exit');
    this.child.kill(signal);
    await ended;
  }
}
