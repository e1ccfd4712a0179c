import type { World } from './world';

/**
 * One statement about the interface, and the test that shows it.
 */
export interface Row {
  /** One sentence in our own words; the title of the row's test. */
  readonly statement: string;
  /** What the log of the simulated portals must show of this very test, each of them. @default nothing goes over the wire */
  readonly wire?: Wire | readonly Wire[];
  /** Throws where the statement does not hold. */
  readonly check: (world: World) => Promise<void> | void;
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
  /** Parameters that came, with what they said. Texts are compared whole. */
  readonly params?: Readonly<Record<string, string | RegExp>>;
  /** Parameters that did not come. */
  readonly without?: readonly string[];
  readonly body?: 'multipart/form-data' | 'application/x-www-form-urlencoded';
  readonly tokenBy?: 'query' | 'form' | 'header';
  /** Who was signed in. */
  readonly user?: string;
  /** HTTP status of the answer. @default 200 */
  readonly status?: number;
  /** Code of the error in the answer. @default it is no error */
  readonly errorCode?: number;
}

/** A route that must not have been called by this test. */
export interface Unsent {
  readonly unsent: string;
}
