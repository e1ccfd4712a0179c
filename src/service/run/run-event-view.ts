/** Something that happened to a run, as its history in Temporal tells it. */
export interface RunEvent {
  readonly at: string;
  /** `problem` is what failed, also where it was tried again. */
  readonly kind: 'step' | 'message' | 'problem' | 'end';
  /** What it is about: an activity with what it is for, or the run itself. */
  readonly subject: string;
  readonly what: string;
}
