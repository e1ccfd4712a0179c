import os from 'node:os';
import type { Person } from '../../model/run/signature';

/** The local user, as the system reports it; recorded as unverified. */
export const whoTypes = (env: NodeJS.ProcessEnv = process.env): Person => ({
  who: `${userName(env)}@${os.hostname()}`,
  identity: 'claimed',
});

function userName(env: NodeJS.ProcessEnv): string {
  try {
    return os.userInfo().username;
  } catch {
    // A user id without a name, as in a container.
    return env.USER ?? `uid-${process.getuid?.() ?? 'unknown'}`;
  }
}
