import type { PhaseStatus, RunStatus } from '../run/phase';

/** What kind of news a text is. */
export type Mark = 'strong' | 'faint' | 'good' | 'notice' | 'bad' | 'active';

export const statusMarks: Readonly<Record<RunStatus | PhaseStatus, Mark>> = {
  running: 'active',
  waiting: 'notice',
  parked: 'notice',
  succeeded: 'good',
  partial: 'notice',
  failed: 'bad',
  cancelled: 'bad',
  'nothing-to-do': 'good',
  pending: 'faint',
  done: 'good',
  skipped: 'faint',
};

/**
 * Text or a value that is shown in one line. The terminal and the page each draw it in their own way: times, runs and
 * statuses are values. A list is drawn without anything between its parts.
 */
export type Value =
  | string
  | undefined
  /** A count. */
  | number
  | { readonly text: Value; readonly mark: Mark }
  /** ISO 8601, or milliseconds since the epoch. A terminal shows its seconds if they are asked for. */
  | { readonly time: string | number; readonly seconds?: true }
  /** How long it took; until now if it has not ended. @format ISO 8601 */
  | { readonly from: string; readonly to?: string }
  /** What has a page of its own, by its name. */
  | { readonly link: string; readonly to: string }
  /** A run by its short ID, or by its whole one. */
  | { readonly run: string; readonly whole?: true }
  /** An ID of a portal, which a page shortens. */
  | { readonly id: string }
  /** @default text its own name */
  | { readonly status: RunStatus | PhaseStatus; readonly text?: string }
  /** To be typed: never broken, and copied by a click. */
  | { readonly command: string }
  | readonly Value[];

/** Labels and their values; a label without a value is left out, and an empty one continues the value above. */
export type Facts = readonly (readonly [string, Value])[];

/** A part of what is shown, with its title. Without rows, nothing of it is shown. */
export type Block = { readonly title?: Value } & (
  | { readonly lines: readonly Value[] }
  | { readonly facts: Facts }
  | {
      /** The heads of its columns; none for a list in columns. */
      readonly columns: readonly string[];
      readonly rows: readonly (readonly Value[])[];
      /** Shown if there are no rows. */
      readonly empty?: string;
      /** The least width of each column on a terminal, for rows that are printed one by one. */
      readonly widths?: readonly number[];
    }
);

/** Blocks, one below the other. */
export type Sheet = readonly (Block | undefined)[];

/** Whether nothing of a block is shown. */
export const isEmpty = (block: Block): boolean =>
  'rows' in block && block.rows.length === 0 && block.empty === undefined;

export const strong = (text: Value): Value => ({ text, mark: 'strong' });
export const faint = (text: Value): Value => ({ text, mark: 'faint' });
export const good = (text: Value): Value => ({ text, mark: 'good' });
export const notice = (text: Value): Value => ({ text, mark: 'notice' });
export const bad = (text: Value): Value => ({ text, mark: 'bad' });

/** Lines that tell what is wrong or odd. */
export const warningLines = (warnings: readonly string[]): Block => ({
  lines: warnings.map((warning) => notice(`warning  ${warning}`)),
});

/** The values that are there, with a comma between them. */
export const listed = (...values: readonly (Value | false)[]): Value[] =>
  values
    .filter(
      (value): value is Exclude<Value, undefined> => value !== undefined && value !== false && value !== '',
    )
    .flatMap((value, at) => (at === 0 ? [value] : [', ', value]));

export type RowOf<T> = (row: T) => Value;
/** The columns of a table: the head of each, and its cell in a row. */
export type Columns<T> = readonly (readonly [string, RowOf<T>])[];

/** A table of rows, by its columns. */
export const tableOf = <T>(
  rows: readonly T[],
  columns: Columns<T>,
  more: { readonly title?: Value; readonly empty?: string } = {},
): Block => ({
  ...more,
  columns: columns.map(([head]) => head),
  rows: rows.map((row) => columns.map(([, cell]) => cell(row))),
});
