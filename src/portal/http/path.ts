import { PortolanError } from '../../model/errors/errors';

/**
 * A path below the base URL, each value encoded as one segment: pathOf`content/items/${id}/data`.
 * @throws PortolanError BAD_REQUEST for a value that would change the path: empty, `.` or `..`
 */
export function pathOf(words: TemplateStringsArray, ...values: readonly string[]): string {
  return words.reduce((path, word, index) => path + segment(values[index - 1] ?? '') + word);
}

function segment(value: string): string {
  if (value === '' || value === '.' || value === '..') {
    throw new PortolanError('BAD_REQUEST', `"${value}" cannot be part of an address.`);
  }
  return encodeURIComponent(value);
}
