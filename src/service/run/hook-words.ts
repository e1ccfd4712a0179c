import type { HookConfig } from '../../config/config';

/** What a hook starts: `sync ROUTE` or `promotion PIPELINE/STAGE`. */
export const startOfHook = ({ starts }: Pick<HookConfig, 'starts'>): string =>
  'route' in starts ? `sync ${starts.route}` : `promotion ${starts.pipeline}/${starts.stage}`;
