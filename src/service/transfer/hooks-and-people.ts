import type { Config, HookConfig } from '../../config/config';
import { namesOfPortal } from '../../config/resolve-route';
import type { GuardResult } from '../../model/run/run';
import { startOfHook } from '../run/run-words';

/**
 * Hooks whose target portal requires two people. No one knows who has their secrets, so a caller who is an approver
 * can approve the run they started.
 * @param of name of a route or pipeline @default every hook
 */
export function hooksAndPeople(config: Config, of?: string): GuardResult[] {
  return [...config.hooks.values()].flatMap((hook) => {
    const { about, portal } = endOf(config, hook);
    if (portal === undefined || (of !== undefined && of !== about)) return [];
    if (!namesOfPortal(config, portal).some(({ policy }) => policy.twoPeople)) return [];
    return {
      name: `hook ${hook.name}`,
      verdict: 'unknown',
      saw: `it starts ${startOfHook(hook)}, but does not count as a person for twoPeople of ${portal}: a caller who is an approver can approve the run they started`,
      needs: 'approvers who do not have a secret of the hook',
      todo: `Keep the secret from the approvers of ${portal}, or remove hooks.${hook.name}.`,
    };
  });
}

/** The route or pipeline of a hook, and its target portal. Backups have none. */
function endOf({ routes, pipelines }: Config, { starts }: HookConfig): { about: string; portal?: string } {
  if ('portal' in starts) return { about: starts.portal };
  if ('route' in starts) return { about: starts.route, portal: routes.get(starts.route)?.target.portal };
  const { pipeline: about, stage } = starts;
  return { about, portal: pipelines.get(about)?.stages.find(({ name }) => name === stage)?.portal };
}
