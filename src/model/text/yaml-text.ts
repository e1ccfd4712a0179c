import { Document, Scalar, visit } from 'yaml';
import { oneLine, unseen } from './plain-text';

/**
 * A value as YAML in which nothing stands that a terminal would obey: such a text is quoted, and what cannot be seen of
 * it is written as its code, so that the file means the same.
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
