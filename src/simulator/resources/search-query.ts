/** Whether a term matches. @param field if the term names one; both are in lower case */
type TermTest = (value: string, field: string | undefined) => boolean;

/**
 * A small part of the search language: words, `field:value` and `field:"some value"`, with an optional space after the
 * colon, joined by AND. A minus or NOT before a term excludes it. Brackets may contain terms joined by OR.
 */
export function parseQuery(query: string): (test: TermTest) => boolean {
  const tokens = query.match(/\(|\)|-?[\w]+:\s*"[^"]*"|-?[\w]+:\s*[^\s()]+|-?"[^"]*"|[^\s()]+/g) ?? [];
  const terms = new Map(
    tokens.map((token) => {
      const term = token.replace(/^-/, '');
      const [, field, value] = /^(\w+):\s*(.*)$/s.exec(term) ?? [];
      return [term, { value: unquoted(value ?? term), field: field?.toLowerCase() }] as const;
    }),
  );
  return (test) =>
    new QueryParser(tokens, (term) => {
      const { value = '', field } = terms.get(term) ?? {};
      return test(value, field);
    }).either();
}

const unquoted = (text: string): string => text.replace(/^"(.*)"$/s, '$1').toLowerCase();

/** Paging of a search ends here. */
export const SEARCH_ROWS_MAX = 10_000;

class QueryParser {
  private position = 0;

  constructor(
    private readonly tokens: readonly string[],
    private readonly test: (term: string) => boolean,
  ) {}

  either(): boolean {
    let result = this.all();
    while (this.tokens[this.position]?.toUpperCase() === 'OR') {
      this.position += 1;
      const right = this.all();
      result = result || right;
    }
    return result;
  }

  private all(): boolean {
    let result = true;
    for (let token = this.tokens[this.position]; token !== undefined; token = this.tokens[this.position]) {
      if (token === ')' || token.toUpperCase() === 'OR') break;
      if (token.toUpperCase() === 'AND') this.position += 1;
      else result = this.one() && result;
    }
    return result;
  }

  private one(): boolean {
    const token = this.tokens[this.position] ?? '';
    this.position += 1;
    if (token.toUpperCase() === 'NOT') return !this.one();
    if (token === '(') {
      const inner = this.either();
      this.position += 1;
      return inner;
    }
    return token.startsWith('-') ? !this.test(token.slice(1)) : this.test(token);
  }
}
