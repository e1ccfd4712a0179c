import { visibleText } from '../../model/text/plain-text';
import type { Style } from './style';

const escape = String.fromCharCode(27);
/** The only control sequences that may reach a terminal: those of a style, and line ends. */
const ours = new RegExp(`(${escape}\\[(?:[0-4]|7|2[1-47]|[349]\\d)m|\\n)`);

/** Last safeguard before a terminal: removes every control sequence except the colors of this style. */
export const terminalText = (text: string, { colors }: Style): string =>
  text
    .split(ours)
    .map((part, at) =>
      at % 2 === 0 ? visibleText(part) : part === '\n' || colors.isColorSupported ? part : '',
    )
    .join('');
