import { type FieldChange } from '../../model/transfer/change';
import { isSecretName, maskSecrets } from '../../model/text/mask-secrets';
import { cutText, oneLine, shortened } from '../../model/text/plain-text';
import { type Edit, labelOf, pathTo } from './differences';

/** A value, and a path, is shown up to so much. @format characters */
const TEXT_MAX = 200;
/** So much of it stands before the first difference. @format characters */
const BEFORE_DIFFERENCE = 40;
/** Around the first difference, so much is searched for secrets and shown from. @format characters */
const SEARCHED = 50_000;

/** A difference as a line for people: short texts, without secrets. */
export function fieldOf(edit: Edit): FieldChange {
  const [before, after] = textsOf(edit);
  return {
    path: shortened(lineOf(pathTo(edit.place)), TEXT_MAX * 2),
    label: shortened(lineOf(labelOf(edit)), TEXT_MAX),
    before,
    after,
  };
}

/** Others' words in one line, without secrets. */
export const lineOf = (text: string): string => oneLine(maskSecrets(text));

function textsOf({ place, before, after, shape }: Edit): (string | undefined)[] {
  const values = [before, after];
  if (typeof place.step === 'string' && isSecretName(place.step))
    return values.map((value) => (value === undefined ? undefined : '***'));
  const shown = values.map((value) => shape?.show?.(value) ?? valueText(value));
  return aroundDifference(shown[0] === shown[1] ? values.map(valueText) : shown);
}

/** A value as people read it: a text as it is, a list of such things with commas, the rest as JSON. */
function valueText(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (Array.isArray(value) && value.every((each) => typeof each !== 'object')) return value.join(', ');
  return JSON.stringify(value);
}

/** Both texts, cut so that the first difference of long ones can be seen. */
function aroundDifference(texts: readonly (string | undefined)[]): (string | undefined)[] {
  const window = cutAround(texts, SEARCHED, SEARCHED);
  const lines = window.map((text) => (text === undefined ? undefined : lineOf(text)));
  return cutAround(lines, BEFORE_DIFFERENCE, TEXT_MAX - BEFORE_DIFFERENCE);
}

function cutAround(
  texts: readonly (string | undefined)[],
  before: number,
  after: number,
): (string | undefined)[] {
  if (texts.every((text = '') => text.length <= before + after)) return [...texts];
  const from = Math.max(0, firstDifference(texts) - before);
  const to = from + before + after;
  return texts.map(
    (text) => text && `${from > 0 ? '…' : ''}${cutText(text, from, to)}${to < text.length ? '…' : ''}`,
  );
}

function firstDifference([one = '', other = '']: readonly (string | undefined)[]): number {
  let at = 0;
  while (at < one.length && one[at] === other[at]) at += 1;
  return at;
}
