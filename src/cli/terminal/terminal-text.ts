import { visibleText } from '../../model/text/plain-text';
import type { Style } from './style';

const escape = String.fromCharCode(27);
/** The colors, bold and dim text of a style, and the end of a line; all that may reach a terminal beside text. */
const ours = new RegExp(`(${escape}\\[(?:[0-4]|7|2[1-47]|[349]\\d)m|\\n)`);

/**
 * The last fence before a terminal, whatever was forgotten before it: of a text of several lines nothing is obeyed but
 * the colors of a style, and not these where the style has none.
 */
export const terminalText = (text: string, { colors }: Style): string =>
  text
    .split(ours)
    .map((part, at) =>
      at % 2 === 0 ? visibleText(part) : part === '\n' || colors.isColorSupported ? part : '',
    )
    .join('');
