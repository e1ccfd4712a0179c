import { jsonText, oneLine, visibleLines } from '../../model/text/plain-text';
import { asCalled } from './command-name';
import { fittingText } from './wrapped-text';
import { terminalText } from './terminal-text';
import { quoted } from '../../model/text/words';
import { drawSheet } from './draw';
import { type Style, styleFor } from './style';
import type { Sheet } from '../../model/text/sheet';
import { PortolanError } from '../../model/errors/errors';

export const outputFormats = ['table', 'json', 'ndjson'] as const;
export type OutputFormat = (typeof outputFormats)[number];

type Stream = NodeJS.WritableStream & { readonly isTTY?: boolean; readonly columns?: number };

/** Where a command writes, and the exit status it sets: `process`, unless a test has its own. */
export interface Terminal {
  readonly stdout: Stream;
  readonly stderr: Stream;
  exitCode?: NodeJS.Process['exitCode'];
}

/** What a person is shown. */
type Drawing = () => string | Sheet;

/** Output of a command: data on stdout in the requested format, everything else on stderr. */
export class Output {
  /** Style of text on stdout. */
  private readonly data: Style;
  /** Style of text on stderr. */
  private readonly side: Style;

  constructor(
    readonly format: OutputFormat,
    readonly terminal: Terminal,
  ) {
    this.data = styleFor(terminal.stdout);
    this.side = styleFor(terminal.stderr);
  }

  /** Text on stderr, for people. */
  note(shown: string | Sheet): void {
    const text = textOf(shown, this.side);
    this.terminal.stderr.write(`${fittingText(asCalled(terminalText(text, this.side)), this.side)}\n`);
  }

  /** A warning on stderr, in one line. */
  warn(text: string): void {
    this.note(this.side.colors.yellow(`warning  ${oneLine(text)}`));
  }

  /** An error on stderr, after which the command continues. */
  warnOf(error: PortolanError): void {
    this.note(failureText(error, this.side));
  }

  /** One object: as a table, or as JSON. @param now when it is looked at */
  show(value: unknown, drawing: Drawing, now?: number): void {
    if (this.format === 'table') this.draw(drawing(), '', now);
    else this.print(this.format === 'json' ? jsonText(value, 2) : jsonText(value));
  }

  /** A list: as a table, one JSON array, or one JSON value per line. */
  showList(values: readonly unknown[], drawing: Drawing): void {
    if (this.format === 'ndjson') for (const value of values) this.print(jsonText(value));
    else this.show(values, drawing);
  }

  /** Text on stdout before the data; for people only. */
  before(drawing: Drawing): void {
    if (this.format === 'table') this.draw(drawing(), '\n');
  }

  /** An event, for programs that read ndjson. */
  event(value: unknown): void {
    if (this.format === 'ndjson') this.print(jsonText(value));
  }

  /** Prints an error and returns its exit status. @param partial results so far, for the same JSON document */
  fail(thrown: unknown, partial: object = {}): number {
    const error = PortolanError.from(thrown);
    this.warnOf(error);
    if (this.format !== 'table') this.show({ ...failureObject(error), ...partial }, () => '');
    return error.meaning.exit;
  }

  /** A document, printed as it is so that another program can read it. */
  showDocument(value: unknown, document: string): void {
    if (this.format === 'table') this.print(document);
    else this.show(value, () => '');
  }

  /** A sheet as `note` prints it, for what redraws it. */
  noted(sheet: Sheet): string {
    return terminalText(asCalled(drawSheet(sheet, this.side)), this.side);
  }

  private draw(shown: string | Sheet, end = '', now?: number): void {
    this.print(fittingText(asCalled(`${textOf(shown, this.data, now)}${end}`), this.data));
  }

  private print(text: string): void {
    this.terminal.stdout.write(`${terminalText(text, this.data)}\n`);
  }
}

const textOf = (shown: string | Sheet, style: Style, now?: number): string =>
  typeof shown === 'string' ? shown : drawSheet(shown, style, now);

/** An error for people: message, portal message and hint. */
export function failureText(error: PortolanError, { colors }: Style): string {
  const { code, plainMessage, hint, facts } = error;
  const lines = [`${colors.red(`error ${code}`)}  ${visibleLines(plainMessage)}`];
  if (facts.portalWords !== undefined) lines.push(`  portal message: ${quoted(facts.portalWords)}`);
  lines.push(`  ${visibleLines(hint)}`);
  return lines.join('\n');
}

/** An error for programs. */
const failureObject = (error: PortolanError): object => ({
  error: {
    kind: error.meaning.kind,
    code: error.code,
    message: error.plainMessage,
    hint: error.hint,
    portal: error.facts.portal,
    portalWords: error.facts.portalWords,
  },
});
