import { onlyVariables, openVariables } from '../model/open-variables';

/** Environment variables that hold secrets of portolan.yaml. */
const secretVariables = new Set<string>();

/** Records that a variable holds a secret; programs no longer receive it. */
export const noteSecretVariable = (name: string): void => {
  secretVariables.add(name);
};

/** Variables that hold keys of Portolan, Temporal's client and the trace exporter. */
const ownSettings = /^(PORTOLAN|TEMPORAL|OTEL)_/;

/**
 * The environment of a program that portolan.yaml names: the open variables, and those passed on purpose.
 * @param told what it is started for
 */
export const programEnvironment = (told: Readonly<Record<string, string>>): NodeJS.ProcessEnv => ({
  ...onlyVariables(openVariables, process.env),
  ...told,
});

/**
 * The environment of a program that prints a secret. It may sign in with variables unknown to Portolan, such as
 * `VAULT_ADDR`, so it receives everything except Portolan's own secrets and keys.
 */
export const secretProgramEnvironment = (): NodeJS.ProcessEnv =>
  Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !secretVariables.has(name) && !ownSettings.test(name)),
  );
