import { Document, Scalar, visit } from 'yaml';
import { oneLine, unseen } from './plain-text';

/** Maximum number of alias expansions, nested ones included. */
const ALIASES_MAX = 100;

type YamlValue = { readonly value: unknown } | { readonly problem: string; readonly hint: string };

/**
 * The value of a document without syntax errors. Nested aliases could expand beyond any memory, so their number is
 * limited.
 */
export function yamlValue(document: Document.Parsed): YamlValue {
  try {
    return { value: document.toJS({ maxAliasCount: ALIASES_MAX }) as unknown };
  } catch (thrown) {
    // The library reports it only in the message.
    return thrown instanceof Error && /excessive alias count/i.test(thrown.message)
      ? {
          problem: `it has too many aliases (anchors are expanded more than ${ALIASES_MAX} times)`,
          hint: 'Write out the aliased values.',
        }
      : { problem: 'an alias refers to nothing', hint: 'Write out the aliased value.' };
  }
}

/**
 * YAML without characters that control a terminal: they are escaped, so the meaning is the same.
 * @param comment lines above it
 */
export function yamlText(value: unknown, comment: readonly string[] = []): string {
  const document = new Document(value, { aliasDuplicateObjects: false });
  visit(document, {
    Scalar: (_, scalar) => {
      if (typeof scalar.value === 'string' && scalar.value.search(unseen) >= 0)
        scalar.type = Scalar.QUOTE_DOUBLE;
    },
  });
  if (comment.length > 0) document.commentBefore = comment.map((line) => ` ${oneLine(line)}`).join('\n');
  return document
    .toString({ lineWidth: 0 })
    .replace(unseen, (character) => `\\U${(character.codePointAt(0) ?? 0).toString(16).padStart(8, '0')}`);
}
