import { onlyVariables, openVariables } from '../model/open-variables';

/** Variables of this process from which secrets of portolan.yaml are read. */
const secretVariables = new Set<string>();

/** Notes that a secret is read from a variable: no program is given it from then on. */
export const noteSecretVariable = (name: string): void => {
  secretVariables.add(name);
};

/** By these Portolan, Temporal's client and the sender of traces are told keys of their own. */
const ownSettings = /^(PORTOLAN|TEMPORAL|OTEL)_/;

/**
 * The environment of a program that portolan.yaml names: the open variables, and what it is told in this way.
 * @param told what it is started for
 */
export const programEnvironment = (told: Readonly<Record<string, string>>): NodeJS.ProcessEnv => ({
  ...onlyVariables(openVariables, process.env),
  ...told,
});

/**
 * The environment of a program that prints a secret. It signs in to wherever the secret lies by variables that we do not
 * know, such as `VAULT_ADDR`, so it gets all but the secrets and keys of Portolan.
 */
export const secretProgramEnvironment = (): NodeJS.ProcessEnv =>
  Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !secretVariables.has(name) && !ownSettings.test(name)),
  );
