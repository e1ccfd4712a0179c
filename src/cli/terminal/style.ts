import pc from 'picocolors';

export type Colors = ReturnType<typeof pc.createColors>;

/** Colors and width for rendering. Rendering functions use nothing else. */
export interface Style {
  readonly colors: Colors;
  /** Width of the terminal. @default there is none, and lines are as long as they are */
  readonly width?: number;
}

/** Colors if the terminal supports them and NO_COLOR is not set. */
export const styleFor = (
  stream: { isTTY?: boolean; columns?: number },
  env: NodeJS.ProcessEnv = process.env,
): Style => ({
  colors: pc.createColors(stream.isTTY === true && !env.NO_COLOR && env.TERM !== 'dumb'),
  width: stream.isTTY === true ? stream.columns || undefined : undefined,
});

export const plainStyle: Style = { colors: pc.createColors(false) };
