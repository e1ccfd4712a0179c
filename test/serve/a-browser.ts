import { until } from '../support/until';

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly body: Record<string, unknown>;
}

/** A browser without scripts: it keeps cookies, follows nothing by itself, and says where it asks from. */
export class Browser {
  /** Everything that browsers were answered. */
  static answered = '';
  readonly cookies = new Map<string, string>();

  constructor(
    private readonly at: { readonly url: string },
    /** Where people sign in. */
    private readonly portalUrl: string,
  ) {}

  async ask(where: string, init: RequestInit & { headers?: Record<string, string> } = {}): Promise<Answer> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const answer = await until(
      'an answer to who asks not too often',
      () =>
        fetch(new URL(where, this.at.url), {
          redirect: 'manual',
          ...init,
          headers: { ...(cookie && { cookie }), ...init.headers },
        }),
      ({ status }) => status !== 429,
    );
    for (const line of answer.headers.getSetCookie()) this.keep(line);
    const text = await answer.text();
    Browser.answered += text + JSON.stringify([...answer.headers].filter(([name]) => name !== 'location'));
    const isJson = answer.headers.get('content-type')?.includes('json');
    const body = (isJson ? JSON.parse(text) : {}) as Record<string, unknown>;
    return { status: answer.status, headers: answer.headers, text, body };
  }

  /** Begins, signs in at the portal's page, and gives the address that the portal sends it back to. */
  async signsIn(username: string, where = '/sign-in') {
    const page = locationOf(await this.ask(where));
    const shown = await (await fetch(page)).text();
    const [, oauth_state = ''] = /name="oauth_state" value="([^"]+)"/.exec(shown) ?? [];
    const sent = await fetch(`${this.portalUrl}/sharing/oauth2/signin`, {
      method: 'POST',
      redirect: 'manual',
      body: new URLSearchParams({ oauth_state, username, password: `${username}-pw` }),
    });
    return sent.headers.get('location') ?? '';
  }

  /** The same, and comes back. */
  async signedIn(username: string, where?: string): Promise<Answer> {
    return await this.ask(await this.signsIn(username, where));
  }

  post(where: string, headers: Record<string, string>, body?: string): Promise<Answer> {
    return this.ask(where, { method: 'POST', headers, body });
  }

  private keep(line: string) {
    const [pair = '', ...attributes] = line.split('; ');
    const [name = '', value = ''] = [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)];
    if (attributes.some((each) => /^(max-age=0|expires=thu, 01 jan 1970)/i.test(each)))
      this.cookies.delete(name);
    else this.cookies.set(name, value);
  }
}

export const locationOf = ({ headers }: Answer) => headers.get('location') ?? '';
