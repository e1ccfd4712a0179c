import { jsonText, visibleLines } from '../../model/text/plain-text';
import { asCalled } from './command-name';
import { fittingText } from './wrapped-text';
import { terminalText } from './terminal-text';
import { quoted } from '../../model/text/words';
import { type Style, styleFor } from './style';
import { PortolanError } from '../../model/errors/errors';

export const outputFormats = ['table', 'json', 'ndjson'] as const;
export type OutputFormat = (typeof outputFormats)[number];

/** Where a command writes: data on stdout in the form that was asked for, all else on stderr. */
export class Output {
  /** For text among the data. */
  readonly data: Style;
  /** For text beside the data. */
  readonly side: Style;

  constructor(readonly format: OutputFormat) {
    this.data = styleFor(process.stdout);
    this.side = styleFor(process.stderr);
  }

  /** Text on stderr, for people. */
  note(text: string): void {
    process.stderr.write(`${fittingText(asCalled(terminalText(text, this.side)), this.side)}\n`);
  }

  /** One thing: a table where that was asked for, else itself as JSON. */
  show(value: unknown, table: (style: Style) => string): void {
    if (this.format === 'table') this.printText(table(this.data));
    else this.print(this.format === 'json' ? jsonText(value, 2) : jsonText(value));
  }

  /** A list: a table, one array, or one line each. */
  showList(values: readonly unknown[], table: (style: Style) => string): void {
    if (this.format === 'ndjson') for (const value of values) this.print(jsonText(value));
    else this.show(values, table);
  }

  /** Text among the data that comes before their end; for people only. */
  before(table: (style: Style) => string): void {
    if (this.format === 'table') this.printText(`${table(this.data)}\n`);
  }

  /** An event of something that goes on, for programs that read along. */
  event(value: unknown): void {
    if (this.format === 'ndjson') this.print(jsonText(value));
  }

  /**
   * Says what went wrong, and returns the exit status that belongs to it.
   * @param partial results so far, for the same JSON document
   */
  fail(thrown: unknown, partial: object = {}): number {
    const error = PortolanError.from(thrown);
    this.note(failureText(error, this.side));
    if (this.format !== 'table') this.show({ ...failureObject(error), ...partial }, () => '');
    return error.meaning.exit;
  }

  /** One thing that people have as a document too, for another program to read: as it stands. */
  showDocument(value: unknown, document: string): void {
    if (this.format === 'table') this.print(document);
    else this.show(value, () => '');
  }

  private printText(text: string): void {
    this.print(fittingText(asCalled(text), this.data));
  }

  private print(text: string): void {
    process.stdout.write(`${terminalText(text, this.data)}\n`);
  }
}

/** An error as people see it: what was seen, the portal's own words, and what to do next. */
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
