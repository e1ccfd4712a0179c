import { createLogUpdate } from 'log-update';
import type { RunView } from '../../contract/runs';
import { guardRemarks, phaseText } from './render/phases';
import { childText, phaseOfChild } from './render/run-list';
import { standingWords } from '../../service/portal-queue/queue-words';
import { oneLine } from '../../model/text/plain-text';
import { windowWords } from '../../model/text/words';
import { isHalted, isSettled, type PhaseLine, phaseLines } from '../../service/run/phase-words';
import { runningProgress } from '../../service/run/progress-words';
import type { Style } from '../terminal/style';
import { asCalled } from '../terminal/command-name';
import { terminalText } from '../terminal/terminal-text';
import { fittingText } from '../terminal/wrapped-text';

/** Shows the progress of a run: a terminal redraws the last lines; elsewhere a line is written when something ends. */
export class RunDisplay {
  readonly #live: ReturnType<typeof createLogUpdate> | undefined;
  /** Final lines by phase, so that a phase that runs again is written again. */
  readonly #written = new Map<string, string>();
  #lastNote = '';
  #lastStanding = '';

  constructor(
    private readonly stream: NodeJS.WriteStream,
    private readonly style: Style,
  ) {
    this.#live = stream.isTTY ? createLogUpdate(stream) : undefined;
  }

  show(view: RunView): void {
    const lines = phaseLines(view.record.phases);
    this.#live?.clear();
    for (const line of lines) {
      this.#children(view, line.name);
      if ((isSettled(line) && !mayPark(line, view)) || isHalted(line)) this.#write(line, view);
    }
    for (const note of view.notes) this.#note(note);
    this.#standing(view);
    if (this.#live !== undefined && view.open)
      this.#live(terminalText(this.#open(lines, view).join('\n'), this.style));
  }

  /** Frees the terminal until the next `show`. */
  release(): void {
    this.#live?.clear();
    this.#live?.done();
  }

  #open(lines: readonly PhaseLine[], view: RunView): string[] {
    const width = (this.stream.columns || 100) - 1;
    const { queue } = view.record;
    const progress =
      queue === undefined
        ? runningProgress(view.pending)
        : standingWords(queue, view.portalQueue, Date.now());
    return lines
      .filter((line) => line.status === 'running' || line.status === 'pending' || mayPark(line, view))
      .map((line) => {
        const text = phaseText(
          line,
          this.style,
          Date.now(),
          line.status === 'running' ? progress : undefined,
        );
        return text.slice(0, width + (text.length - visibleLength(text)));
      });
  }

  #write(line: PhaseLine, view: RunView): void {
    // A phase skipped at the end of a run is not worth a line.
    if (line.status === 'skipped' && line.detail === undefined) return;
    const key = `${line.status} ${line.finishedAt ?? ''} ${line.detail ?? ''}`;
    if (this.#written.get(line.name) === key) return;
    this.#written.set(line.name, key);
    this.#print(phaseText(line, this.style, Date.now()));
    if (line.name === 'guard')
      for (const remark of guardRemarks(view.record, this.style)) this.#print(remark);
  }

  /** Without a terminal to redraw, writes the queue position and the awaited window whenever they change. */
  #standing({ record: { queue, window }, portalQueue }: RunView): void {
    if (this.#live !== undefined) return;
    const words =
      queue?.position !== undefined
        ? `queue      ${standingWords(queue, portalQueue)}`
        : window && `window     ${windowWords(window)}: ${oneLine(window.why)}`;
    if (words === undefined) return;
    if (words !== this.#lastStanding) this.#print(` >  ${words}`);
    this.#lastStanding = words;
  }

  /** The child runs of a phase, each once it has ended. */
  #children({ record }: RunView, phase: string): void {
    for (const child of record.children ?? []) {
      if (phaseOfChild(child) !== phase) continue;
      if (child.status === 'running' || this.#written.has(child.runId)) continue;
      this.#written.set(child.runId, child.status);
      this.#print(`    ${childText(child, this.style)}`);
    }
  }

  #note(note: string): void {
    if (note === this.#lastNote) return;
    this.#lastNote = note;
    this.#print(this.style.colors.yellow(`note  ${note}`));
  }

  #print(text: string): void {
    this.stream.write(`${fittingText(asCalled(terminalText(text, this.style)), this.style)}\n`);
  }
}

/** A failed phase is not final yet: the run either parks there or continues with its cleanup. */
const mayPark = ({ status }: PhaseLine, { open, record }: RunView): boolean =>
  status === 'failed' &&
  open &&
  record.phases.some(({ name, status: reached }) => name === 'cleanup' && reached === 'pending');

// What a terminal takes as a change of color, and does not print.
const colorCode = new RegExp(`${String.fromCharCode(27)}\\[[0-9;]*m`, 'g');
const visibleLength = (text: string): number => text.replace(colorCode, '').length;
