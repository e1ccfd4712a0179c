import { maskSecrets } from '../../model/text/mask-secrets';

/** So many secrets that come and go are known at a time; far more than one portal's calls carry at once. */
const PASSING_MAX = 500;

/** Words of others are read so far: twenty times of what is kept. @format characters */
export const WORDS_MAX = 10_000;
/** @format characters */
const EXCERPT_MAX = 500;

/** Takes known secrets, and what looks like one, out of words that others wrote. */
export class Scrubber {
  /** Forms of each secret. */
  readonly #lasting = new Map<string, readonly string[]>();
  /** The same, the one that was learnt longest ago first. */
  readonly #passing = new Map<string, readonly string[]>();

  /** From now on this value is taken out, as it stands and as URLs carry it. */
  learn(secret: string | undefined): void {
    if (isTelling(secret) && !this.#lasting.has(secret)) this.#lasting.set(secret, formsOf(secret));
  }

  /**
   * The same for tokens and keys of jobs, of which a worker sees new ones as long as it lives: known until many
   * others came. Each call learns anew what it carries.
   */
  learnPassing(secret: string | undefined): void {
    if (!isTelling(secret)) return;
    const forms = this.#passing.get(secret) ?? formsOf(secret);
    this.#passing.delete(secret);
    this.#passing.set(secret, forms);
    if (this.#passing.size <= PASSING_MAX) return;
    for (const oldest of this.#passing.keys()) {
      this.#passing.delete(oldest);
      return;
    }
  }

  scrub(words: string): string {
    let clean = words;
    const known = [...this.#lasting.values(), ...this.#passing.values()].flat();
    for (const secret of known.sort((a, b) => b.length - a.length)) clean = clean.replaceAll(secret, '***');
    return maskSecrets(clean).replace(/https?:\/\/[^\s"'<>]+/gi, withoutQuery);
  }

  /** The beginning of words of any length, as much as is kept of them. @param most characters */
  excerpt(words: string, most = EXCERPT_MAX): string {
    return this.scrub(words.slice(0, WORDS_MAX)).slice(0, most);
  }
}

const withoutQuery = (address: string): string => {
  const [path = ''] = address.split('?', 1);
  // A question mark right behind the slashes begins no query.
  return path.length === address.length || path.endsWith('://') ? address : `${path}?***`;
};

/** Shorter ones would tear holes into ordinary words. */
const isTelling = (secret: string | undefined): secret is string =>
  secret !== undefined && secret.length >= 4;

const formsOf = (secret: string): readonly string[] => [
  ...new Set([
    secret,
    encodeURIComponent(secret),
    new URLSearchParams({ '': secret }).toString().slice(1),
    JSON.stringify(secret).slice(1, -1),
  ]),
];
