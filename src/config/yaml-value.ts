import type { Document } from 'yaml';

/** Maximum number of alias expansions, nested ones included. */
export const ALIASES_MAX = 100;

export type YamlValue = { readonly value: unknown } | { readonly problem: string; readonly hint: string };

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
