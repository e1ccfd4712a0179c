import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';

/** What a child process offers: functions of plain data, called over its message channel. */
export type Methods = Readonly<Record<string, (input: never) => Promise<unknown>>>;

interface Request {
  readonly id: number;
  readonly method: string;
  readonly input: unknown;
}

interface Answer {
  readonly id: number;
  readonly result?: unknown;
  readonly error?: string;
}

/** A child process of our own, so that what it costs can be told from what the others cost. */
export class Child<M extends Methods> {
  readonly #process: ChildProcess;
  readonly #waiting = new Map<
    number,
    { resolve: (value: unknown) => void; reject: (error: Error) => void }
  >();
  #calls = 0;

  /**
   * @param name file beside this one, without its ending
   * @param nodeFlags what Node is told beside it
   */
  constructor(name: string, nodeFlags: readonly string[] = []) {
    this.#process = fork(path.join(__dirname, `${name}.js`), {
      execArgv: [...nodeFlags],
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    this.#process.on('message', (answer: Answer) => {
      const call = this.#waiting.get(answer.id);
      this.#waiting.delete(answer.id);
      if (answer.error === undefined) call?.resolve(answer.result);
      else call?.reject(new Error(answer.error));
    });
    this.#process.once('exit', () => {
      for (const { reject } of this.#waiting.values()) reject(new Error(`the process ${name} has ended`));
    });
  }

  get pid(): number {
    const { pid } = this.#process;
    if (pid === undefined) throw new Error('The process did not start.');
    return pid;
  }

  call<K extends keyof M & string>(
    method: K,
    input: Parameters<M[K]>[0],
  ): Promise<Awaited<ReturnType<M[K]>>> {
    const id = ++this.#calls;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve: (value) => resolve(value as Awaited<ReturnType<M[K]>>), reject });
      this.#process.send({ id, method, input } satisfies Request);
    });
  }

  async end(): Promise<void> {
    if (this.#process.exitCode !== null || this.#process.signalCode !== null) return;
    const ended = once(this.#process, 'exit');
    this.#process.kill();
    await ended;
  }
}

/** The child's side: serves its methods until the parent ends it. */
export function serve(methods: Methods): void {
  process.on('message', ({ id, method, input }: Request) => {
    const answer = (more: Omit<Answer, 'id'>) => process.send?.({ id, ...more });
    const work = methods[method];
    if (!work) return void answer({ error: `there is no ${method}` });
    work(input as never).then(
      (result) => answer({ result }),
      (error: unknown) =>
        answer({ error: error instanceof Error ? (error.stack ?? error.message) : String(error) }),
    );
  });
  process.once('disconnect', () => process.exit());
}
