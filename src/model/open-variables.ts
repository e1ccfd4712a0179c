/**
 * Variables of the environment that each program Portolan starts may see: it needs them to find its files and to speak
 * its user's language, and none of them holds a secret.
 */
export const openVariables = [
  ...['PATH', 'HOME', 'USER', 'LOGNAME', 'SHELL'],
  ...['TMPDIR', 'TMP', 'TEMP'],
  ...['LANG', 'LC_ALL', 'LC_CTYPE', 'TZ'],
  ...['XDG_CACHE_HOME', 'XDG_CONFIG_HOME', 'XDG_DATA_HOME'],
] as const;

/** The variables of an environment with these names, if they are set. */
export const onlyVariables = (names: readonly string[], env: NodeJS.ProcessEnv): NodeJS.ProcessEnv =>
  Object.fromEntries(names.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]])));
