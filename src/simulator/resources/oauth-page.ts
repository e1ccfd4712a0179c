import { badRequest, PortalFault } from '../errors';
import type { Call } from '../http/call';
import type { Reply } from '../http/reply';
import { read, write, type Route } from '../http/router';
import { checkPassword, issueToken } from '../tokens';

/** Sign-in by the page that people see, which some clients fill in (docs/reference/portal-interface.md, "Sign-in"). */
export const oauthPageRoutes: readonly Route[] = [
  read('token.authorize', '/portal/sharing/rest/oauth2/authorize', authorize),
  read('token.authorize', '/portal/sharing/oauth2/authorize', authorize),
  write('token.signIn', '/portal/sharing/oauth2/signin', signIn),
  write('token.signIn', '/portal/sharing/rest/oauth2/signin', signIn),
];

/** What the page remembers between its showing and its sending; signed, kept nowhere. */
interface PageState {
  readonly redirectUri: string;
  readonly responseType: 'token' | 'code';
  readonly state?: string;
  readonly minutes: number;
}

const longestMinutes = 20160;
const defaultMinutes = 120;

function authorize(call: Call): Reply {
  const { params } = call;
  const redirectUri = params.text('redirect_uri');
  const responseType = params.text('response_type');
  if (redirectUri === undefined) throw badRequest('Invalid redirect_uri');
  if (responseType !== 'token' && responseType !== 'code') throw badRequest('Invalid response_type');
  const minutes = Math.min(longestMinutes, params.integer('expiration') ?? defaultMinutes);
  return page(call, { redirectUri, responseType, state: params.text('state'), minutes });
}

function page({ world }: Call, state: PageState, ...messages: string[]): Reply {
  const text = Buffer.from(JSON.stringify(state)).toString('base64url');
  const info = {
    oauth_state: `${text}.${world.hash(`page ${text}`)}`,
    ...(messages.length > 0 && { messages }),
  };
  const body = `<!DOCTYPE html>
<html>
<head><title>Sign in</title></head>
<body>
<script>
var oAuthInfo = ${JSON.stringify(info)};
</script>
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
    answer.set('code', issueToken(world, { username, kind: 'code' }, 5).token);
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
