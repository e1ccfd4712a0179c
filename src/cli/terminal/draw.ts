import { oneLine, ownLine } from '../../model/text/plain-text';
import {
  type Block,
  type Facts,
  isEmpty,
  type Mark,
  type Sheet,
  statusMarks,
  type Value,
} from '../../model/text/sheet';
import { countWords, durationWords, secondWords, timeWords } from '../../model/text/words';
import { shortRunId } from '../../model/run/run-id';
import { columns } from './columns';
import type { Style } from './style';
import { lengthOf } from './wrapped-text';

/** A sheet as text for a terminal: its blocks with an empty line between them. */
export const drawSheet = (sheet: Sheet, style: Style, now: number = Date.now()): string =>
  sheet
    .map((block) => block && !isEmpty(block) && drawBlock(block, style, now))
    .filter((text) => text)
    .join('\n\n');

function drawBlock(block: Block, style: Style, now: number): string {
  const draw = (value: Value): string => drawValue(value, style, now);
  const body = bodyOf(block, style, draw);
  return [...(block.title === undefined ? [] : [draw(block.title)]), ...(body === '' ? [] : [body])].join(
    '\n',
  );
}

function bodyOf(block: Block, style: Style, draw: (value: Value) => string): string {
  if ('lines' in block) return block.lines.map(draw).join('\n');
  if ('facts' in block) return factLines(block.facts, style, draw).join('\n');
  if (block.rows.length === 0) return block.empty ?? '';
  const heads = block.columns.map((head) => head.toUpperCase());
  const width = Math.max(heads.length, ...block.rows.map(({ length }) => length));
  return columns(
    heads,
    block.rows.map((row) =>
      Array.from({ length: width }, (_, at) => padded(draw(row[at]), block.widths?.[at])),
    ),
    style,
  );
}

const padded = (text: string, width = 0): string => text + ' '.repeat(Math.max(0, width - lengthOf(text)));

/** The narrowest column of labels. @format characters */
const LABELS_MIN = 9;

/** Labels in one column, and their values beside them. */
function factLines(facts: Facts, { colors }: Style, draw: (value: Value) => string): string[] {
  const shown = facts.filter(([, value]) => value !== undefined);
  const width = Math.max(LABELS_MIN, ...shown.map(([label]) => label.length + 2));
  return shown.map(([label, value]) => `${colors.dim(label.padEnd(width))}${draw(value)}`);
}

function drawValue(value: Value, style: Style, now: number): string {
  if (value === undefined) return '';
  if (typeof value === 'string') return oneLine(value);
  if (typeof value === 'number') return countWords(value);
  if ('command' in value) return ownLine(value.command);
  if ('link' in value) return oneLine(value.link);
  if ('status' in value) {
    const { status, text = status } = value;
    return style.colors.bold(paint(oneLine(text), statusMarks[status], style));
  }
  if ('text' in value) return paint(drawValue(value.text, style, now), value.mark, style);
  if ('time' in value) return momentText(value);
  if ('id' in value) return oneLine(value.id);
  if ('from' in value) return spanText(value, now);
  if ('run' in value) return oneLine(value.whole ? value.run : shortRunId(value.run));
  return value.map((each) => drawValue(each, style, now)).join('');
}

/** Times are not checked in what others wrote. */
function momentText({ time, seconds }: { readonly time: string | number; readonly seconds?: true }): string {
  if (Number.isNaN(new Date(time).getTime())) return oneLine(String(time));
  return seconds ? secondWords(time) : timeWords(time);
}

function spanText({ from, to }: { readonly from: string; readonly to?: string }, now: number): string {
  const took = (to === undefined ? now : Date.parse(to)) - Date.parse(from);
  return Number.isNaN(took) ? '?' : durationWords(took);
}

function paint(text: string, mark: Mark, { colors }: Style): string {
  switch (mark) {
    case 'strong':
      return colors.bold(text);
    case 'faint':
      return colors.dim(text);
    case 'good':
      return colors.green(text);
    case 'notice':
      return colors.yellow(text);
    case 'bad':
      return colors.red(text);
    case 'active':
      return colors.cyan(text);
  }
}
