import os from 'node:os';

/** Who types the command, as far as the system says. It is written into records as claimed, not as proven. */
export function whoTypes(env: NodeJS.ProcessEnv = process.env): string {
  return `${userName(env)}@${os.hostname()}`;
}

function userName(env: NodeJS.ProcessEnv): string {
  try {
    return os.userInfo().username;
  } catch {
    // A user id without a name, as in a container.
    return env.USER ?? `uid-${process.getuid?.() ?? 'unknown'}`;
  }
}
