import { maskSecrets } from '../../model/text/mask-secrets';

/** Temporary secrets remembered at a time; far more than one portal's calls use. */
const PASSING_MAX = 500;

/** Maximum text scanned. @format characters */
export const WORDS_MAX = 10_000;
/** @format characters */
const EXCERPT_MAX = 500;

/** Removes known and likely secrets from text of others. */
export class Scrubber {
  /** Forms of each secret. */
  readonly #lasting = new Map<string, readonly string[]>();
  /** The same, the one that was learnt longest ago first. */
  readonly #passing = new Map<string, readonly string[]>();

  /** Registers a secret: its plain and URL-encoded forms are removed. */
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

  /** The scrubbed beginning of a text. @param most characters */
  excerpt(words: string, most = EXCERPT_MAX): string {
    return this.scrub(words.slice(0, WORDS_MAX)).slice(0, most);
  }
}

const withoutQuery = (address: string): string => {
  const [path = ''] = address.split('?', 1);
  // A question mark right behind the slashes begins no query.
  return path.length === address.length || path.endsWith('://') ? address : `${path}?***`;
};

/** Shorter ones would match ordinary words. */
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
