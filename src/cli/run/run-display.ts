import { createLogUpdate } from 'log-update';
import type { RunView } from '../../contract/runs';
import type { RunRecord } from '../../model/run/run';
import { notice, type Sheet } from '../../model/text/sheet';
import { windowWords } from '../../model/text/words';
import { queueStanding } from '../../service/portal-queue/queue-words';
import {
  isHalted,
  isSettled,
  type PhaseLine,
  phaseLines,
  phaseOfChild,
  phaseTable,
} from '../../service/run/phases-sheet';
import { guardRows } from '../../service/run/guards-sheet';
import { childTable } from '../../service/run/run-sheet';
import type { Output } from '../terminal/output';

/** Shows the progress of a run: a terminal redraws the last lines; elsewhere a line is written when something ends. */
export class RunDisplay {
  readonly #live: ReturnType<typeof createLogUpdate> | undefined;
  /** The state in which each subject was printed: a phase that runs again is printed again. */
  readonly #printed = new Map<string, string>();

  constructor(private readonly output: Output) {
    const { stderr } = output.terminal;
    this.#live = stderr.isTTY ? createLogUpdate(stderr) : undefined;
  }

  show(view: RunView): void {
    const { record, notes, open } = view;
    const lines = phaseLines(record.phases);
    this.#live?.clear();
    for (const line of lines) {
      this.#children(record, line.name);
      if ((isSettled(line) && !mayPark(line, view)) || isHalted(line)) this.#phase(line, view);
    }
    for (const note of notes) this.#print(note, '', [{ lines: [notice(`note ${note}`)] }]);
    if (this.#live === undefined) this.#standing(view);
    else if (open) {
      const left = lines.filter((line) => !(isSettled(line) || isHalted(line)) || mayPark(line, view));
      this.#live(this.output.noted([phaseTable(view, left)]));
    }
  }

  /** Frees the terminal until the next `show`. */
  release(): void {
    this.#live?.clear();
    this.#live?.done();
  }

  #phase(line: PhaseLine, view: RunView): void {
    // A phase skipped at the end of a run is not worth a line.
    if (line.status === 'skipped' && line.detail === undefined) return;
    const state = `${line.status} ${line.finishedAt ?? ''} ${line.detail ?? ''}`;
    this.#print(line.name, state, [phaseTable(view, [line])]);
    if (line.name !== 'guard') return;
    const open = view.record.guards?.filter(({ verdict, isNews }) => verdict === 'unknown' || isNews) ?? [];
    const rows = open.flatMap((guard) => guardRows(guard).slice(0, 1));
    if (rows.length > 0) this.#print('guards', state, [{ columns: [], rows }]);
  }

  /** The queue position and the awaited window, whenever they change. */
  #standing({ record: { queue, window }, portalQueue }: RunView): void {
    const row =
      queue?.position !== undefined
        ? ['queue', queueStanding(queue, portalQueue)]
        : window && ['window', `${windowWords(window)}: ${window.why}`];
    if (row !== undefined)
      this.#print('standing', JSON.stringify(row), [
        { columns: [], widths: [2, 10, 6], rows: [[' >', row[0], '', row[1]]] },
      ]);
  }

  /** The child runs of a phase, each once it has ended. */
  #children({ children = [] }: RunRecord, phase: string): void {
    for (const child of children)
      if (phaseOfChild(child) === phase && child.status !== 'running')
        this.#print(child.runId, '', [{ ...childTable([child]), title: undefined, columns: [] }]);
  }

  #print(subject: string, state: string, sheet: Sheet): void {
    if (this.#printed.get(subject) === state) return;
    this.#printed.set(subject, state);
    this.output.note(sheet);
  }
}

/** A failed phase is not final yet: the run either parks there or continues with its cleanup. */
const mayPark = ({ status }: PhaseLine, { open, record }: RunView): boolean =>
  status === 'failed' &&
  open &&
  record.phases.some(({ name, status: reached }) => name === 'cleanup' && reached === 'pending');
