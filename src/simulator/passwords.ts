import type { UserRecord } from './state/records';
import type { World } from './world';

/** The user whose password was given, or the words of the refusal (docs/reference/portal-interface.md, "Sign-in"). */
export function checkPassword(
  world: World,
  username: string | undefined,
  password: string | undefined,
): UserRecord | string {
  const user = username === undefined ? undefined : world.users.get(username);
  const { lockOutAfter } = world.settings;
  const attempts = world.wrongPasswords.get(username ?? '') ?? 0;
  if (lockOutAfter > 0 && attempts >= lockOutAfter) {
    return 'Too many invalid attempts. Please try again later.';
  }
  if (user && password !== undefined && world.matches(password, user.passwordHash)) {
    world.wrongPasswords.delete(user.username);
    return user;
  }
  if (username !== undefined) world.wrongPasswords.set(username, attempts + 1);
  return 'Invalid username or password.';
}
