import { type ChildProcess, spawn } from 'node:child_process';
import { PortolanError } from '../../model/errors/errors';
import type { Output } from '../terminal/output';
import { shellWord } from '../../model/text/words';

export interface Typing {
  /** The expected exit status. */
  readonly due: number;
  /** Shows only the final output. @default false */
  readonly brief?: boolean;
}

/** Runs `portolan` commands one after the other, each in its own process on this terminal. */
export class TypedCommands {
  private running: ChildProcess | undefined;

  /**
   * @param config path of the configuration that they are about
   * @param stopped ends the one that runs, and lets no other one begin
   */
  constructor(
    private readonly config: string,
    private readonly output: Output,
    private readonly stopped: AbortSignal,
  ) {
    stopped.addEventListener('abort', () => this.running?.kill('SIGINT'));
  }

  /** Prints a command line. */
  show(words: readonly string[]): void {
    const { colors } = this.output.side;
    this.output.note(`\n${colors.bold(`$ portolan ${words.map(shellWord).join(' ')}`)}`);
  }

  /**
   * Prints and runs a command. Its stdout stays data if this process prints a table. Throws INTERNAL if it exits
   * with another status than expected, and CANCELLED once the demo is stopped.
   */
  async type(words: readonly string[], { due, brief = false }: Typing): Promise<void> {
    this.show(words);
    const { status, said } = await this.run(words, brief);
    if (this.stopped.aborted) throw new PortolanError('CANCELLED', 'The demo was stopped.');
    if (status === due) return;
    if (said !== '') this.output.note(said);
    throw new PortolanError(
      'INTERNAL',
      `"portolan ${words.join(' ')}" exited with ${status ?? 'a signal'} instead of ${due}.`,
    );
  }

  private async run(
    words: readonly string[],
    isQuiet: boolean,
  ): Promise<{ readonly status: number | null; readonly said: string }> {
    const [, starter = ''] = process.argv;
    const data = this.output.format === 'table' ? 'inherit' : process.stderr;
    const child = spawn(process.execPath, [...process.execArgv, starter, ...words], {
      env: { ...process.env, PORTOLAN_CONFIG: this.config },
      stdio: ['ignore', data, isQuiet ? 'pipe' : 'inherit'],
    });
    let said = '';
    child.stderr?.on('data', (piece: Buffer) => (said += piece.toString()));
    this.running = child;
    const status = await new Promise<number | null>((resolve, reject) =>
      child.once('error', reject).once('close', resolve),
    );
    return { status, said };
  }
}
