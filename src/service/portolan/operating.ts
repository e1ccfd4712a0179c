import type { HookRow, HookTest } from '../hook/hook-view';
import type { Examined } from '../transfer/examined-view';
import type { PortalRow, RouteRow } from '../transfer/route-rows';
import type { RouteDiffSeen } from '../transfer/route-diff-view';

/** Hooks and notification receivers. */
export interface PortolanHooks {
  list(): Promise<readonly HookRow[]>;
  test(name: string): Promise<HookTest>;
}

/** Routes and portals of the configuration, and read-only checks of portals. */
export interface PortolanRoutes {
  list(): Promise<readonly RouteRow[]>;
  /** The portals of the configuration. */
  portals(): Promise<readonly PortalRow[]>;
  /** The changes a sync would make. */
  diff(route: string): Promise<RouteDiffSeen>;
  /** Every preflight check. @param name of a route or pipeline @default every portal */
  examine(name: string | undefined, onBegin: (of: Omit<Examined, 'results'>) => void): Promise<Examined>;
}
