import { z } from 'zod';
import type { ServerAddress } from './server-address';
import { type ErrorCode, isErrorCode } from '../model/errors/error-codes';
import { PortolanError } from '../model/errors/errors';

/** Maximum length of a problem. @format characters */
const WORDS_MAX = 8_000;

const words = z.string().transform((text) => text.slice(0, WORDS_MAX));

/** A problem reported by a server: untrusted, so limited and shown as text. */
const claimed = z.object({
  title: z.string().max(80),
  detail: words,
  hint: words.optional(),
  portal: words.optional(),
  portalWords: words.optional(),
});

/** HTTP problems, which commands do not know. */
const titles: Readonly<Record<string, ErrorCode>> = {
  SESSION_OVER: 'KEY_REFUSED',
  PERSON_REFUSED: 'RIGHT_MISSING',
};

/**
 * The error of a problem, with the same code and hint as if the command had met it locally; undefined if it is none.
 */
export function errorOfProblem({ url }: ServerAddress, given: unknown): PortolanError | undefined {
  const { data: problem } = claimed.safeParse(given);
  if (!problem) return undefined;
  const { title, detail, hint, portal, portalWords } = problem;
  const code = titles[title] ?? title;
  if (code === 'KEY_REFUSED')
    return new PortolanError(code, `${url}: ${detail}`, {
      hint: `Set PORTOLAN_KEY to a key of that server, or sign in: portolan login ${url}`,
    });
  if (isErrorCode(code)) return new PortolanError(code, detail, { hint, portal, portalWords });
  return new PortolanError('SERVER_ANSWER', `${url} refused it (${title}): ${detail}`, {
    hint,
    title,
  });
}
