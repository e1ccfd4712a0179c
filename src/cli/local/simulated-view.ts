/** A simulated portal, as shown when it starts. */
export interface SimulatedView {
  /** Suggested name in `portolan.yaml`. */
  readonly portal: string;
  /** Ends in `/sharing/rest`. */
  readonly url: string;
  readonly users: readonly {
    readonly username: string;
    /** Belongs to a simulated portal, so it is no secret. */
    readonly password: string;
    readonly role: string;
    /** Titles of its groups, owned or joined. */
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
    /** The command that starts the portal at the other end. */
    readonly otherEnd: string;
  };
}
