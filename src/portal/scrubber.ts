import { maskSecrets } from '../model/mask-secrets';

/** Takes known secrets, and what looks like one, out of words that others wrote. */
export class Scrubber {
  readonly #secrets = new Set<string>();

  /** From now on this value is taken out, as it stands and as URLs carry it. */
  learn(secret: string | undefined): void {
    // Shorter ones would tear holes into ordinary words.
    if (!secret || secret.length < 4) return;
    this.#secrets.add(secret);
    this.#secrets.add(encodeURIComponent(secret));
    this.#secrets.add(new URLSearchParams({ '': secret }).toString().slice(1));
    this.#secrets.add(JSON.stringify(secret).slice(1, -1));
  }

  scrub(words: string): string {
    let clean = words;
    for (const secret of [...this.#secrets].sort((a, b) => b.length - a.length))
      clean = clean.replaceAll(secret, '***');
    return maskSecrets(clean).replace(/(https?:\/\/[^\s?"'<>]+)\?[^\s"'<>]*/gi, '$1?***');
  }
}
