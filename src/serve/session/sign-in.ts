import { createHash } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { PortolanError } from '../../model/errors/errors';
import type { openPortalSignIn } from '../../service/sign-in/portal-sign-in';
import { type Access, wantsPage } from '../access';
import { problemOf, Refusal } from '../problem';
import { takeForms } from './same-site';
import type { SealedTokens } from './seal';
import type { Sessions } from './session';

/** Time allowed to sign in at the portal. @format milliseconds */
const SIGN_IN_MS = 10 * 60_000;

const port = z.coerce.number().int().min(1).max(65_535);
/** A sha256, base64url. */
const challenge = z.string().regex(/^[\w-]{43}$/);

const asked = z.object({
  return: z.string().optional().describe('path of this server to open after sign-in'),
  cli: port.optional().describe('local port of a program that receives a code'),
  challenge: challenge.optional().describe("sha256 of that program's secret verifier, base64url"),
});

/** State that the browser keeps, sealed, while the user is at the portal. */
const underWay = z.object({
  state: z.string(),
  verifier: z.string(),
  to: z.union([z.object({ path: z.string() }), z.object({ port, challenge })]),
});

export interface SignInParts {
  readonly portal: NonNullable<ReturnType<typeof openPortalSignIn>>;
  readonly sessions: Sessions;
  readonly seals: SealedTokens;
  readonly access: () => Access;
}

/** Sign-in at a portal and sign-out, for browsers and for programs such as `portolan login`. */
export const signIn =
  ({ portal, sessions, seals, access }: SignInParts): FastifyPluginAsyncZod =>
  async (app) => {
    const redirectUri = (): string => `${access().origin}/sign-in/callback`;
    app.addHook('onSend', async (_request, reply) => void reply.header('cache-control', 'no-store'));
    app.addHook('onClose', () => portal.close());
    app.setErrorHandler((thrown, request, reply) => {
      const isTold = thrown instanceof Refusal || thrown instanceof PortolanError;
      if (!isTold || !wantsPage(request)) throw thrown;
      const { status, detail, hint } = problemOf(thrown);
      if (status >= 500) request.log.error({ err: thrown }, 'sign-in failed');
      return reply
        .code(status)
        .type(HTML)
        .send(plainPage('Not signed in', [detail, hint]));
    });

    app.get('/sign-in', { schema: { hide: true, querystring: asked } }, async (request, reply) => {
      // The cookie and the portal's redirect URI are for one host name.
      const { host, origin } = new URL(access().origin);
      if (request.headers.host?.toLowerCase() !== host)
        return await reply.redirect(`${origin}${request.url}`, 303);
      const to = destination(request, request.query);
      const { url, ...begun } = await portal.begin(redirectUri());
      const until = new Date(Date.now() + SIGN_IN_MS);
      const sealed = await seals.seal('sign-in', { ...begun, to }, until);
      const { cookie, cookieOptions } = access();
      reply.setCookie(cookie.signIn, sealed, { ...cookieOptions, expires: until });
      return await reply.redirect(url, 303);
    });

    app.get('/sign-in/callback', { schema: { hide: true } }, async (request, reply) => {
      const { cookie, cookieOptions, origin } = access();
      const given = request.cookies[cookie.signIn];
      reply.clearCookie(cookie.signIn, cookieOptions);
      const begun = given === undefined ? undefined : await seals.unseal('sign-in', given, underWay);
      if (!begun)
        throw new Refusal(
          400,
          'SIGN_IN_OVER',
          'No sign-in is in progress in this browser, or it took too long.',
          'Sign in again.',
        );
      const { to, ...kept } = begun.content;
      const person = await portal.end(redirectUri(), kept, new URL(request.url, origin).searchParams);
      const content = sessions.contentOf(person);
      const { who } = sessions.callerOf(content);
      request.log.info({ who, program: 'port' in to }, 'signed in');
      if ('port' in to) {
        const code = await sessions.code(content, to.challenge);
        return await reply.redirect(`http://127.0.0.1:${to.port}/?code=${code}`, 303);
      }
      const { sealed, until } = await sessions.begin('cookie', content);
      reply.setCookie(cookie.session, sealed, { ...cookieOptions, expires: until });
      return await reply.redirect(to.path, 303);
    });

    app.post(
      '/sign-in/token',
      {
        schema: {
          summary: 'Exchange a sign-in code and its verifier for a session token',
          body: z.strictObject({ code: z.string().max(4096), verifier: z.string().min(43).max(128) }),
          response: { 200: z.object({ token: z.string(), who: z.string(), expiresAt: z.iso.datetime() }) },
        },
      },
      async ({ body: { code, verifier } }) => {
        const hash = createHash('sha256').update(verifier).digest('base64url');
        const content = await sessions.readCode(code, hash);
        const { who } = sessions.callerOf(content);
        const { sealed, until } = await sessions.begin('bearer', content);
        return { token: sealed, who, expiresAt: until.toISOString() };
      },
    );

    await app.register(async (out) => {
      out.addHook('onRequest', (request) => access().admit(request));
      await takeForms(out);
      out.post('/sign-out', { schema: { hide: true } }, async (_request, reply) => {
        const { cookie, cookieOptions } = access();
        reply.clearCookie(cookie.session, cookieOptions);
        return await reply.type(HTML).send(plainPage('Signed out', []));
      });
    });
  };

const HTML = 'text/html; charset=utf-8';

/** A page that loads nothing else, for visitors who are not signed in. */
const plainPage = (title: string, lines: readonly string[]): string =>
  `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>${title}</title></head>
<body>
<main>
<h1>${title}</h1>
${lines.map((line) => `<p>${escaped(line)}</p>`).join('\n')}
<p><a href="/sign-in">Sign in</a></p>
</main>
</body>
</html>
`;

const escaped = (text: string): string => text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);

/** Where the sign-in leads. Throws if it is not allowed. */
function destination(
  { headers }: FastifyRequest,
  given: z.infer<typeof asked>,
): z.infer<typeof underWay>['to'] {
  if (given.cli === undefined && given.challenge === undefined) return { path: localPath(given.return) };
  if (given.cli === undefined || given.challenge === undefined)
    throw new Refusal(400, 'USAGE', 'cli and challenge belong together.', 'Run portolan login.');
  // A program opens the browser itself. A link from another site could give an attacker's program a session.
  const site = headers['sec-fetch-site'];
  if (site === undefined || site === 'none' || site === 'same-origin')
    return { port: given.cli, challenge: given.challenge };
  throw new Refusal(403, 'CROSS_SITE', 'Another site tried to sign in a program.', 'Run portolan login.');
}

/** A placeholder host, to resolve a path as a browser would. */
const NOWHERE = 'http://nowhere.invalid';

/** No page of this server has a longer path. @format characters */
const PATH_MAX = 1_000;

/** A path and query of this server; `/` for anything that would lead to another host. */
function localPath(given = '/'): string {
  if (given.length > PATH_MAX || !given.startsWith('/') || !URL.canParse(given, NOWHERE)) return '/';
  const { origin, pathname, search } = new URL(given, NOWHERE);
  // Browsers read "/.//host" as "//host", which is another host.
  return origin === NOWHERE && !pathname.startsWith('//') ? `${pathname}${search}` : '/';
}
