import type { Document } from 'yaml';

/** So often what an anchor names may be repeated by aliases, those within it counted too. */
export const ALIASES_MAX = 100;

export type YamlValue = { readonly value: unknown } | { readonly problem: string; readonly hint: string };

/**
 * What a document without errors holds. A few aliases of aliases stand for more than any memory holds, so that their
 * number is bounded.
 */
export function yamlValue(document: Document.Parsed): YamlValue {
  try {
    return { value: document.toJS({ maxAliasCount: ALIASES_MAX }) as unknown };
  } catch (thrown) {
    // The library says so in words alone.
    return thrown instanceof Error && /excessive alias count/i.test(thrown.message)
      ? {
          problem: `it has too many aliases (anchors are expanded more than ${ALIASES_MAX} times)`,
          hint: 'Write out the aliased values.',
        }
      : { problem: 'an alias refers to nothing', hint: 'Write out the aliased value.' };
  }
}
