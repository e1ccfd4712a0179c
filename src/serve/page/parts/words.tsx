import { cutText, oneLine, plainLines } from '../../../model/text/plain-text';
import { shortId } from '../../../model/text/words';

/** Limits of a text in the page and in its tooltip. @format characters */
const SHOWN_MAX = 160;
const WHOLE_MAX = 2_000;

interface WordsProps {
  readonly text: string;
  /** @default 160 characters */
  readonly most?: number;
}

/** Untrusted text in one line, without markup and of limited length. */
export const Words = ({ text, most = SHOWN_MAX }: WordsProps) => {
  const whole = oneLine(text.slice(0, WHOLE_MAX + 1));
  if (whole.length <= most) return <bdi>{whole}</bdi>;
  return <bdi title={cut(whole, WHOLE_MAX)}>{cut(whole, most)}</bdi>;
};

/** Untrusted text of several lines. */
export const Lines = ({ text, most = WHOLE_MAX }: WordsProps) => (
  <span class="lines">{plainLines(cut(text, most))}</span>
);

/** Never cuts a surrogate pair in half. */
const cut = (text: string, most: number): string =>
  text.length <= most ? text : `${cutText(text, 0, most)}…`;

/** A shortened ID with the full one as tooltip. */
export const ShortId = ({ id }: { readonly id: string }) => (
  <code title={oneLine(id.slice(0, WHOLE_MAX))}>{shortId(id.slice(0, WHOLE_MAX))}</code>
);
