import { oneLine, plainLines } from '../../../model/text/plain-text';
import { shortId } from '../../../model/text/words';

/** So much of a text that somebody wrote stands in a page, and so much more where a pointer rests on it. @format characters */
const SHOWN_MAX = 160;
const WHOLE_MAX = 2_000;

interface WordsProps {
  readonly text: string;
  /** @default 160 characters */
  readonly most?: number;
}

/** What a portal, a publisher or a caller wrote, in one line: nothing of it is markup, and its length is bounded. */
export const Words = ({ text, most = SHOWN_MAX }: WordsProps) => {
  const whole = oneLine(text.slice(0, WHOLE_MAX + 1));
  if (whole.length <= most) return <bdi>{whole}</bdi>;
  return <bdi title={cut(whole, WHOLE_MAX)}>{cut(whole, most)}</bdi>;
};

/** The same of a text of several lines. */
export const Lines = ({ text, most = WHOLE_MAX }: WordsProps) => (
  <span class="lines">{plainLines(cut(text, most))}</span>
);

/** Without a half of a character at its end. */
const cut = (text: string, most: number): string =>
  text.length <= most ? text : `${text.slice(0, most).replace(/[\ud800-\udbff]$/, '')}…`;

/** An id that is recognised, with all of it where a pointer rests on it. */
export const ShortId = ({ id }: { readonly id: string }) => (
  <code title={oneLine(id.slice(0, WHOLE_MAX))}>{shortId(id.slice(0, WHOLE_MAX))}</code>
);
