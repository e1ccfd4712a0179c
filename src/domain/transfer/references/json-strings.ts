import { childPath } from './content';

/** A text in a JSON document: where it stands, and what it says. */
export interface JsonString {
  /** Of its opening quote. */
  readonly start: number;
  /** Behind its closing quote. */
  readonly end: number;
  readonly value: string;
  /** `data.operationalLayers[3].url` */
  path(): string;
}

/** How far the walk is in an object or a list. */
interface Level {
  readonly isList: boolean;
  /** The member at hand, as it is written; absent before the first. */
  key?: string;
  index: number;
  awaitsKey: boolean;
}

/**
 * All texts that are values in a document, in its order: members' names are none. A parser would not tell where they
 * stand, and what is written anew from its result has numbers and repeated names of its own making.
 *
 * @param text valid JSON
 * @param root begins each path
 */
export function* stringsIn(text: string, root: string): Generator<JsonString> {
  const levels: Level[] = [];
  for (let at = 0; at < text.length; at += 1) {
    const level = levels.at(-1);
    switch (text[at]) {
      case '"': {
        const start = at;
        at = closingQuote(text, start);
        const written = text.slice(start, at + 1);
        if (level?.awaitsKey) {
          level.key = written;
          level.awaitsKey = false;
          break;
        }
        const value = JSON.parse(written) as string;
        yield { start, end: at + 1, value, path: () => pathOf(root, levels) };
        break;
      }
      case '{':
        levels.push({ isList: false, index: 0, awaitsKey: true });
        break;
      case '[':
        levels.push({ isList: true, index: 0, awaitsKey: false });
        break;
      case '}':
      case ']':
        levels.pop();
        break;
      case ',':
        if (level?.isList) level.index += 1;
        else if (level) level.awaitsKey = true;
        break;
      default: // numbers, words and what stands between
    }
  }
}

function closingQuote(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
  return at;
}

const pathOf = (root: string, levels: readonly Level[]): string =>
  levels.reduce(
    (path, { isList, index, key = '""' }) =>
      isList ? `${path}[${index}]` : childPath(path, JSON.parse(key) as string),
    root,
  );
