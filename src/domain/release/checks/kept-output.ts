import { stripVTControlCharacters } from 'node:util';
import { maskSecrets } from '../../../model/text/mask-secrets';
import { visibleLines } from '../../../model/text/plain-text';

/** So much of each output stays. @format bytes */
export const OUTPUT_KEPT_MAX = 4_096;

/** The end of what a program writes, however much that is. */
export class KeptOutput {
  private kept = Buffer.alloc(0);
  private isCut = false;

  add(piece: Buffer): void {
    const all = Buffer.concat([this.kept, piece]);
    this.isCut ||= all.length > OUTPUT_KEPT_MAX;
    this.kept = all.subarray(-OUTPUT_KEPT_MAX);
  }

  /** Undefined where nothing was written. */
  get text(): string | undefined {
    const text = this.kept.toString('utf8');
    // A secret is known by the name before it, which the cut may have taken: what stands in the line that was cut goes.
    return plainOutput(this.isCut ? `…\n${afterFirst('\n', text) ?? afterFirst(' ', text) ?? ''}` : text);
  }
}

/** What others wrote, with nothing in it that a terminal obeys or that looks like a secret; undefined for nothing. */
export function plainOutput(text: string): string | undefined {
  const plain = maskSecrets(visibleLines(stripVTControlCharacters(text))).trimEnd();
  return plain === '' ? undefined : plain.slice(-OUTPUT_KEPT_MAX);
}

function afterFirst(mark: string, text: string): string | undefined {
  const at = text.indexOf(mark);
  return at === -1 ? undefined : text.slice(at + 1);
}
