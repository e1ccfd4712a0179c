import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';

const program = require.resolve('../../src/cli/main');

/** `portolan worker`, as it is typed. */
export class WorkerProcess {
  private constructor(private readonly child: ChildProcess) {}

  /** Returns once it polls. @param log file for what it says */
  static async start(config: string, log: string): Promise<WorkerProcess> {
    const child = spawn(process.execPath, [program, 'worker', '--config', config], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    child.stderr.pipe(createWriteStream(log, { flags: 'a' }));
    let words = '';
    await new Promise<void>((resolve, reject) => {
      child.stderr.on('data', (chunk: Buffer) => {
        words = `${words}${chunk.toString()}`.slice(-10_000);
        if (/^worker \S+ polls /m.test(words)) resolve();
      });
      child.once('exit', () => reject(new Error(`the worker ended: ${words}`)));
      child.once('error', reject);
    });
    return new WorkerProcess(child);
  }

  async stop(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const ended = once(this.child, 'exit');
    this.child.kill();
    await ended;
  }
}
