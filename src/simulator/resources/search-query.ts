/** Whether a term matches. @param field if the term names one; both are in lower case */
type TermTest = (value: string, field: string | undefined) => boolean;
/** Whether what is tested by term matches. */
type Query = (test: TermTest) => boolean;

/**
 * A small part of the search language: words, `field:value` and `field:"some value"`, with an optional space after the
 * colon, joined by AND. A minus or NOT before a term excludes it. Brackets may contain terms joined by OR.
 */
export function parseQuery(query: string): Query {
  const tokens = query.match(/\(|\)|-?[\w]+:\s*"[^"]*"|-?[\w]+:\s*[^\s()]+|-?"[^"]*"|[^\s()]+/g) ?? [];
  return new QueryParser(tokens).either();
}

/** Paging of a search ends here. */
export const SEARCH_ROWS_MAX = 10_000;

const unquoted = (text: string): string => text.replace(/^"(.*)"$/s, '$1').toLowerCase();

function termOf(token: string): Query {
  const [, field, value = token] = /^(\w+):\s*(.*)$/s.exec(token) ?? [];
  const [sought, name] = [unquoted(value), field?.toLowerCase()];
  return (test) => test(sought, name);
}

const not =
  (query: Query): Query =>
  (test) =>
    !query(test);

class QueryParser {
  private position = 0;

  constructor(private readonly tokens: readonly string[]) {}

  either(): Query {
    const queries = [this.all()];
    while (this.tokens[this.position]?.toUpperCase() === 'OR') {
      this.position += 1;
      queries.push(this.all());
    }
    return (test) => queries.some((query) => query(test));
  }

  private all(): Query {
    const queries: Query[] = [];
    for (let token = this.tokens[this.position]; token !== undefined; token = this.tokens[this.position]) {
      if (token === ')' || token.toUpperCase() === 'OR') break;
      if (token.toUpperCase() === 'AND') this.position += 1;
      else queries.push(this.one());
    }
    return (test) => queries.every((query) => query(test));
  }

  private one(): Query {
    const token = this.tokens[this.position] ?? '';
    this.position += 1;
    if (token.toUpperCase() === 'NOT') return not(this.one());
    if (token === '(') {
      const inner = this.either();
      this.position += 1;
      return inner;
    }
    return token.startsWith('-') ? not(termOf(token.slice(1))) : termOf(token);
  }
}
