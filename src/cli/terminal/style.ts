import pc from 'picocolors';

export type Colors = ReturnType<typeof pc.createColors>;

/** How text is drawn: with colors or without. Rendering functions get it and ask nobody else. */
export interface Style {
  readonly colors: Colors;
  /** Places of a line of the terminal. @default there is none, and lines are as long as they are */
  readonly width?: number;
}

/** Colors where a terminal shows them and NO_COLOR does not forbid them. */
export const styleFor = (
  stream: { isTTY?: boolean; columns?: number },
  env: NodeJS.ProcessEnv = process.env,
): Style => ({
  colors: pc.createColors(stream.isTTY === true && !env.NO_COLOR && env.TERM !== 'dumb'),
  width: stream.isTTY === true ? stream.columns || undefined : undefined,
});

export const plainStyle: Style = { colors: pc.createColors(false) };
