import type { Config } from '../../config/config';
import { connectionTo } from '../../config/portal-pool';
import { PersonSignIn } from '../../portal/auth/person-sign-in';

export type { BegunSignIn, PortalPerson } from '../../portal/auth/person-sign-in';

/**
 * The sign-in at the portal that `serve.signIn` names; undefined where it names none.
 * Throws `CONFIG_INVALID` where a certificate file cannot be read.
 */
export function openPortalSignIn(config: Config): PersonSignIn | undefined {
  const { signIn } = config.serve;
  if (!signIn) return undefined;
  return new PersonSignIn({ ...connectionTo(config, signIn.portal), appId: signIn.appId });
}
