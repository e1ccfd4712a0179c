import type { ErrorCode } from '../../model/errors/error-codes';
import { PortolanError } from '../../model/errors/errors';
import {
  JSON_DEPTH_MAX,
  JSON_VALUES_MAX,
  LISTING_CHARACTERS_MAX,
  LISTING_VALUES_MAX,
  PAGES_MAX,
} from './limits';

/** A list of a response is too long. Does not know the portal; the reader adds it. */
export class LimitExceeded extends Error {}

/** An error that an operation of a portal shows: `staging returned a category without a title.` */
export const portalError = (
  code: ErrorCode,
  portal: string,
  operation: string,
  words: string,
  facts: PortolanError['facts'] = {},
): PortolanError => new PortolanError(code, `${portal} ${words}.`, { portal, operation, ...facts });

export const tooMuch = (portal: string, operation: string, what: string): PortolanError =>
  portalError('ANSWER_TOO_LARGE', portal, operation, `answered ${operation} with ${what}`);

/** How much a text of JSON holds, counted without parsing it. */
interface JsonFigures {
  /** Objects and lists within each other. */
  readonly depth: number;
  /** Members of objects and elements of lists. */
  readonly values: number;
}

/** Reads a text of JSON through once; of a text that is none the figures mean nothing. */
export function figuresOf(text: string): JsonFigures {
  let [depth, deepest, values] = [0, 0, 0];
  for (let at = 0; at < text.length; at += 1) {
    switch (text.charCodeAt(at)) {
      case QUOTE:
        at = endOfString(text, at);
        break;
      case COMMA:
        values += 1;
        break;
      case BRACE:
      case BRACKET:
        values += 1;
        depth += 1;
        deepest = Math.max(deepest, depth);
        break;
      case BRACE_END:
      case BRACKET_END:
        depth -= 1;
    }
  }
  return { depth: deepest, values };
}

const [QUOTE, COMMA, BACKSLASH] = [0x22, 0x2c, 0x5c];
const [BRACE, BRACE_END, BRACKET, BRACKET_END] = [0x7b, 0x7d, 0x5b, 0x5d];

function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && text.charCodeAt(at) !== QUOTE) at += text.charCodeAt(at) === BACKSLASH ? 2 : 1;
  return at;
}

/** What is too much in an answer, in words; undefined where nothing is. */
export function excessIn(text: string): string | undefined {
  const { depth, values } = figuresOf(text);
  if (depth > JSON_DEPTH_MAX) return `JSON nested ${depth} levels deep (limit ${JSON_DEPTH_MAX})`;
  return values > JSON_VALUES_MAX ? `${values} values (limit ${JSON_VALUES_MAX})` : undefined;
}

/** What the pages of one listing come to. */
export class ListingSize {
  #pages = 0;
  #characters = 0;
  #values = 0;

  constructor(
    private readonly portal: string,
    private readonly operation: string,
  ) {}

  /** @throws PortolanError ANSWER_TOO_LARGE once the pages so far are too many, or hold too much */
  add(text: string): void {
    this.#pages += 1;
    this.#characters += text.length;
    this.#values += figuresOf(text).values;
    if (this.#pages > PAGES_MAX) throw tooMuch(this.portal, this.operation, `more than ${PAGES_MAX} pages`);
    if (this.#characters > LISTING_CHARACTERS_MAX)
      throw tooMuch(
        this.portal,
        this.operation,
        `pages of more than ${LISTING_CHARACTERS_MAX} characters in total`,
      );
    if (this.#values > LISTING_VALUES_MAX)
      throw tooMuch(this.portal, this.operation, `pages of more than ${LISTING_VALUES_MAX} values in total`);
  }
}
