import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { childEnvironment } from '../../src/temporal/dev-server/temporal-cli';

/** A user and group of this machine, by their numbers. */
export interface Account {
  readonly uid: number;
  readonly gid: number;
}

export interface DaemonOptions {
  readonly file: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** Takes its output, of one start behind the other. */
  readonly log: string;
  /** As whom it runs. @default whoever runs the tests */
  readonly account?: Account;
}

/** Ends the program when our end of the pipe on its standard input closes, which also happens when we are killed. */
const lifeline =
  'exec 3<&0; "$@" 3<&- </dev/null & program=$!; { cat <&3 >/dev/null; kill -9 0; } & wait $program; kill -9 0';

/** A program that is killed with -9 and started again as it was, in a process group of its own; it dies with us. */
export class Daemon {
  private child: ChildProcess | undefined;

  constructor(private readonly options: DaemonOptions) {}

  /** Does not wait for anything that it does. */
  start(): void {
    const { file, args, cwd, log, account } = this.options;
    const output = openSync(log, 'a');
    this.child = spawn('sh', ['-c', lifeline, 'sh', file, ...args], {
      cwd,
      detached: true,
      stdio: ['pipe', output, output],
      env: childEnvironment('server'),
      ...account,
    });
    closeSync(output);
    this.child.unref();
  }

  /** `kill -9`: it says nothing more to anybody. Returns once it is gone. */
  async kill(): Promise<void> {
    const { child } = this;
    if (child?.pid === undefined || !this.isUp) return;
    // Else a process that has nothing more to do but to end it would end before.
    child.ref();
    const gone = once(child, 'exit');
    process.kill(-child.pid, 'SIGKILL');
    await gone;
  }

  get isUp(): boolean {
    return this.child?.exitCode === null && this.child.signalCode === null;
  }

  /** The end of its log, for the message that says why it did not start. */
  get lastWords(): string {
    return readFileSync(this.options.log, 'utf8').trimEnd().split('\n').slice(-5).join('\n').slice(-2_000);
  }
}
