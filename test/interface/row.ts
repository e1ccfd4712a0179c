import type { Site } from './site';
import type { World } from './world';

/** One statement of docs/reference/portal-interface.md, and the test that shows it. */
export interface Row {
  /** The title of the row's test. */
  readonly statement: string;
  /** Requests that the log of the simulated portals must show of this very test. @default none */
  readonly wire?: Wire | readonly Wire[];
  /** Throws if the statement is wrong. `site` is a portal of the usual release. */
  readonly check: (site: Site, world: World) => Promise<void> | void;
}

/** Rows about one subject. */
export interface Section {
  readonly title: string;
  readonly rows: readonly Row[];
}

/** A request that must have been answered, or one that must not have been sent. */
export type Wire = Seen | Unsent;

export interface Seen {
  /** Name of the simulator's route, such as `group.export`. */
  readonly operation: string;
  readonly method?: 'GET' | 'POST';
  /** Path below the base URL; `<name>` stands for one part. */
  readonly path?: string;
  /** Parameters that were sent. Texts are compared whole. */
  readonly params?: Readonly<Record<string, string | RegExp>>;
  /** Parameters that were not sent. */
  readonly without?: readonly string[];
  readonly body?: 'multipart/form-data' | 'application/x-www-form-urlencoded';
  readonly tokenBy?: 'query' | 'form' | 'header';
  /** The signed-in user. */
  readonly user?: string;
  /** HTTP status of the response. @default 200 */
  readonly status?: number;
  /** Code of the error in the response. @default no error */
  readonly errorCode?: number;
}

/** A route that this test must not have called. */
export interface Unsent {
  readonly unsent: string;
}
