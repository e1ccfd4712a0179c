/** A simulated portal as it is shown to whoever started it. */
export interface SimulatedView {
  /** What `portolan.yaml` may call it. */
  readonly portal: string;
  /** Ends in `/sharing/rest`. */
  readonly url: string;
  readonly users: readonly {
    readonly username: string;
    /** Of a simulated portal, so no secret. */
    readonly password: string;
    readonly role: string;
    /** Titles of the groups that it owns or is in. */
    readonly owns: readonly string[];
    readonly memberOf: readonly string[];
  }[];
  readonly groups: readonly {
    readonly id: string;
    readonly title: string;
    readonly owner: string;
    readonly items: number;
  }[];
  readonly route: {
    readonly name: string;
    readonly source: { readonly portal: string; readonly group: string };
    readonly target: { readonly portal: string; readonly group: string };
    /** Starts the portal at its other end. */
    readonly otherEnd: string;
  };
}
