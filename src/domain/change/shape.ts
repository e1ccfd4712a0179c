/** What a part of an item's content is to its builder. What no shape names is compared all the same, by its JSON path. */
export interface Shape {
  /** Its name for people; empty where only what is in it has one. @default its key */
  readonly label?: string;
  /** A value as people read it. @default `valueText` */
  readonly show?: (value: unknown) => string | undefined;
  /** However much of it differs, it is one line. @default false */
  readonly isWhole?: boolean;
  /** A list whose order means nothing. @default false */
  readonly isSet?: boolean;
  /** Why it is not compared. @default it is */
  readonly skip?: string;
  /** Of a list, or of an object whose names are IDs. */
  readonly elements?: Elements;
  readonly members?: Readonly<Record<string, Shape>>;
}

/** Things with an identity of their own: one that is added is one line, whatever comes after it. */
export interface Elements {
  /** What one is called, such as `layer`. */
  readonly noun: string | ((element: unknown) => string);
  /** The member that tells it from others: the first of these that it has. @default its name in the object, or place in the list */
  readonly by?: readonly string[];
  /** What people know it by. @default its identity */
  readonly title?: TextOf;
  /** What says most of one that is added or removed. @default all of it */
  readonly says?: TextOf;
  /** A function, since layers hold layers. */
  readonly shape?: () => Shape;
}

/** A text of an element: the first of these members that it has, such as `title.text`, or whatever a function finds. */
export type TextOf = readonly string[] | ((element: unknown) => string | undefined);

/** What is compared of the items of some types. */
export interface TypeTable {
  readonly types: readonly string[];
  readonly data?: Shape;
  /** Drafts, which are resources, have the shape of the data. @default false */
  readonly hasDrafts?: boolean;
}

export const labeled = (label: string): Shape => ({ label });

/** One line, however much of it differs. */
export const whole = (label: string): Shape => ({ label, isWhole: true });

/** Nothing for people by itself: its members are as good as those of what holds it. */
export const within = (members: Readonly<Record<string, Shape>>): Shape => ({ label: '', members });

export const listOf = (elements: Elements): Shape => ({ label: '', elements });

/** A value that is true or false, as a switch. @param on the value that means on */
export const onOff = (label: string, on = true): Shape => ({
  label,
  show: (value) => (typeof value === 'boolean' ? (value === on ? 'on' : 'off') : undefined),
});

/** A part of one, such as an opacity, in percent. */
export const percent = (label: string): Shape => ({
  label,
  show: (value) => (typeof value === 'number' ? `${Math.round(value * 1_000) / 10} %` : undefined),
});
