import { badRequest, PortalFault } from '../errors';
import type { Call } from '../http/call';
import type { Reply } from '../http/reply';
import { read, write, type Route } from '../http/router';
import { checkPassword, type CodeGrant, issueToken, vendorApps } from '../tokens';

/** Sign-in through the page for people, which some clients fill in (docs/reference/portal-interface.md, "Sign-in"). */
export const oauthPageRoutes: readonly Route[] = [
  read('token.authorize', '/portal/sharing/rest/oauth2/authorize', authorize),
  read('token.authorize', '/portal/sharing/oauth2/authorize', authorize),
  write('token.signIn', '/portal/sharing/oauth2/signin', signIn),
  write('token.signIn', '/portal/sharing/rest/oauth2/signin', signIn),
];

/** State of the page between showing and submitting; signed, not stored. */
interface PageState extends CodeGrant {
  readonly responseType: 'token' | 'code';
  readonly state?: string;
  readonly minutes: number;
}

const longestMinutes = 20160;
const defaultMinutes = 120;
const codeMinutes = 5;

function authorize(call: Call): Reply {
  const { params, settings } = call;
  const clientId = params.text('client_id') ?? '';
  const redirectUri = params.text('redirect_uri') ?? '';
  const registered = Object.hasOwn(settings.apps, clientId) ? settings.apps[clientId] : undefined;
  // Never redirect to an unregistered URL, not even with an error.
  if (!registered && !vendorApps.has(clientId)) return errorPage('Invalid client_id');
  if (redirectUri === '' || (registered && !registered.includes(redirectUri)))
    return errorPage('Invalid redirect_uri');
  const responseType = params.text('response_type');
  if (responseType !== 'token' && responseType !== 'code') throw badRequest('Invalid response_type');
  const method = params.text('code_challenge_method') ?? 'plain';
  if (method !== 'S256' && method !== 'plain') throw badRequest('Invalid code_challenge_method');
  const minutes = Math.min(longestMinutes, params.integer('expiration') ?? defaultMinutes);
  return page(call, {
    clientId,
    redirectUri,
    responseType,
    state: params.text('state'),
    minutes,
    ...(params.has('code_challenge') && { challenge: params.text('code_challenge'), method }),
  });
}

const errorPage = (words: string): Reply => ({
  kind: 'html',
  body: `<!DOCTYPE html>\n<html>\n<head><title>Error</title></head>\n<body>Error: ${words}</body>\n</html>\n`,
});

function page({ world }: Call, state: PageState, ...messages: string[]): Reply {
  const text = Buffer.from(JSON.stringify(state)).toString('base64url');
  const oauthState = `${text}.${world.hash(`page ${text}`)}`;
  const info = {
    oauth_state: oauthState,
    ...(messages.length > 0 && { messages }),
  };
  const body = `<!DOCTYPE html>
<html>
<head><title>Sign in</title></head>
<body>
<script>
var oAuthInfo = ${JSON.stringify(info)};
</script>
<form method="post" action="${world.portalUrl}/sharing/oauth2/signin">
<p>${messages.join(' ')}</p>
<input type="hidden" name="oauth_state" value="${oauthState}">
<label>User <input name="username"></label>
<label>Password <input name="password" type="password"></label>
<button>Sign in</button>
</form>
</body>
</html>
`;
  return { kind: 'html', body };
}

function signIn(call: Call): Reply {
  const { world, params } = call;
  const [text, signature] = (params.text('oauth_state') ?? '').split('.');
  if (!text || !signature || !world.matches(`page ${text}`, signature)) {
    throw new PortalFault(400, 'Invalid oauth_state');
  }
  const state = JSON.parse(Buffer.from(text, 'base64url').toString()) as PageState;
  const user = checkPassword(world, params.text('username'), params.text('password'));
  if (typeof user === 'string') return page(call, state, user);
  const { username } = user;
  const answer = new URLSearchParams(state.state === undefined ? {} : { state: state.state });
  if (state.responseType === 'code') {
    const { clientId, redirectUri, challenge, method } = state;
    const grant: CodeGrant = { clientId, redirectUri, challenge, method };
    answer.set('code', issueToken(world, { username, kind: 'code', grant }, codeMinutes).token);
    return { kind: 'redirect', location: `${state.redirectUri}?${answer.toString()}` };
  }
  const { token, expires } = issueToken(world, { username, kind: 'token' }, state.minutes);
  answer.set('access_token', token);
  answer.set('expires_in', String(Math.floor((expires - Date.now()) / 1000)));
  answer.set('username', username);
  answer.set('ssl', 'true');
  answer.set('token_type', 'bearer');
  return { kind: 'redirect', location: `${state.redirectUri}#${answer.toString()}` };
}
