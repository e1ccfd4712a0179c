import { drawSheet } from '../../src/cli/terminal/draw';
import { plainStyle } from '../../src/cli/terminal/style';
import type { Sheet } from '../../src/model/text/sheet';

/** A sheet as a terminal without colors shows it. @param width of the terminal; without one, lines are not wrapped */
export const drawn = (sheet: Sheet, { now, width }: { now?: number; width?: number } = {}): string =>
  drawSheet(sheet, { ...plainStyle, width }, now);
