export interface TaggedTitle {
  readonly file: string;
  readonly title: string;
  readonly command: string;
  readonly ids: readonly string[];
}

export function readPromises(root: string): ReadonlyMap<string, string>;
export function readTags(root: string): TaggedTitle[];
