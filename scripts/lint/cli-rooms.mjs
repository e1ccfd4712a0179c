import { readdirSync } from 'node:fs';

/** The contexts of `src/cli`, and which others each may import. `terminal` is about no context at all. */
const contexts = {
  terminal: [],
  queue: ['terminal'],
  run: ['terminal', 'queue'],
  transfer: ['terminal', 'queue', 'run'],
  snapshot: ['terminal', 'queue', 'run'],
  release: ['terminal', 'queue', 'run'],
  promotion: ['terminal', 'queue', 'run'],
  schedule: ['terminal', 'queue', 'run'],
  'portal-change': ['terminal', 'queue', 'run'],
  local: ['terminal', 'queue', 'run'],
  completion: ['terminal', 'queue', 'run'],
  status: ['terminal', 'queue', 'run'],
  serve: ['terminal'],
  hook: ['terminal'],
  'sign-in': ['terminal'],
};

const unlisted = readdirSync('src/cli').filter(
  (name) => !name.endsWith('.ts') && contexts[name] === undefined,
);
if (unlisted.length > 0) {
  throw new Error(
    `scripts/lint/cli-rooms.mjs does not say what src/cli/${unlisted[0]} may import. Add it to "contexts".`,
  );
}

/** Files that only say what is shown, in which words, or typed next: whoever reads fills them, whoever draws takes them. */
const shapes = '@(*-view|*-words|*-sheet|*-sheets|format-*|next-commands).ts';
const anythingElse = '!(*-view|*-words|*-sheet|*-sheets|format-*|next-commands).ts';

const betweenContexts = Object.entries(contexts).map(([name, known]) => ({
  target: `src/cli/${name}`,
  from: 'src/cli',
  except: [name, ...known].map((each) => `./${each}`),
  message:
    known.length === 0
      ? `cli/${name}/ knows no run. Take what is needed as an argument, or move the function to the context that it is about.`
      : `cli/${name}/ imports ${known.join(', ')} of cli/ and no other context. Move what two of them share to cli/run/, or to domain/ where it needs no terminal.`,
}));

/** Zones within `src/cli`, for the rule `no-restricted-paths`. */
export const cliArrows = [
  ...betweenContexts,
  {
    target: `src/{cli,service}/*/${shapes}`,
    from: ['src/cli/*/commands/**', `src/{cli,service}/*/${anythingElse}`],
    except: ['**/src/cli/terminal/**'],
    message:
      'A view is filled by one file and drawn by another, and imports neither. Move the type that is needed into a view, or down into model/.',
  },
  {
    target: 'src/cli/*/*.ts',
    from: ['src/cli/*/commands/**'],
    message:
      'A command is called by command-tree.ts alone. Move what is shared with it into a file beside commands/.',
  },
  {
    target: 'src/cli/!(local)/**',
    from: ['src/simulator/**', 'src/{starter,worker}.ts'],
    message:
      'Only cli/local/ starts a worker or a simulated portal in its own process. Move what needs one there.',
  },
];
